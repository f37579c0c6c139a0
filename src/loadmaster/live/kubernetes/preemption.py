"""Evicts pods of lower priority so that a waiting pod finds room: victims and node are one decision (rule X17)."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from loadmaster.live.kubernetes.descheduler import Descheduler
from loadmaster.live.kubernetes.engine import KubernetesEngine
from loadmaster.live.queue.decider import Beside
from loadmaster.live.queue.ledger import Ledger
from loadmaster.live.queue.make_room import is_open_to, open_to, ranked_rows, rules_now
from loadmaster.live.session.disruption import Cooldowns
from loadmaster.model import Snapshot
from loadmaster.model.actions import Action, Start, Stop
from loadmaster.model.site_rules import Preemption, SiteRules
from loadmaster.model.snapshot import JobRulesNow
from loadmaster.sim.queue.plain.victims import Victim, victims

PATIENCE_S = 300.0
"""For so long victims may take to go: the grace that their specifications grant, and a little."""
_RULES = SiteRules(preemption=Preemption(by="qos"))


@dataclass(frozen=True)
class PendingPreemption:
    """Room that is being made: for the pod `id` on `host`, from `since_s` on, by those that go."""

    id: str
    host: str
    goes: tuple[str, ...]
    since_s: float


@dataclass
class Preemptor:
    """Told of every cycle, it says what to ask of the engine beside what the rule decided.

    Attributes:
        engine: that evicts, and keeps rooms.
        say: told what it does, in sentences.
        making: the room that is being made.
    """

    engine: KubernetesEngine
    say: Callable[[str], None] = lambda _: None
    making: PendingPreemption | None = None
    _left_alone: Cooldowns = field(default_factory=Cooldowns)
    _asked: set[str] = field(default_factory=set)

    def __call__(self, ledger: Ledger, starts: Sequence[Start]) -> list[Action]:
        """What to do in this cycle: nothing, evictions, or the start that they were for."""
        if self.making is None:
            self._look(ledger)
        if self.making is None:
            return []
        if why := self._fails(ledger, starts):
            self._left_alone.leave(self.making.id, ledger.now_s)
            self._end(why)
            return []
        there = [name for name in self.making.goes if name in ledger.rows]
        if not there:
            start = Start(self.making.id, (self.making.host,))
            self._end("")
            return [start]
        fresh = [name for name in there if name not in self._asked]
        self._asked.update(fresh)
        return [Stop(name) for name in fresh]

    def _look(self, ledger: Ledger) -> None:
        snapshot = ledger.snapshot()
        if snapshot is None:
            return
        free_to_go: set[str] | None = None
        alone, rules = self._left_alone.at(ledger.now_s), rules_now(snapshot)
        for row in ranked_rows(snapshot):
            name = ledger.waiting.ids[int(snapshot.queue.job[row])]
            if snapshot.queue.tasks[row] != 1 or name in alone or _fits(ledger, snapshot, row, {}, rules).any():
                continue
            if not self.engine.preempts(name):
                continue
            if free_to_go is None:
                free_to_go = set(self.engine.evictable())
            victims = victims_for(ledger, snapshot, row, free_to_go - alone)
            if victims is not None:
                self.making = PendingPreemption(name, victims[0], victims[1], ledger.now_s)
                self.engine.keep(name, victims[0])
                self.say(f"room for {name} on {victims[0]}: {', '.join(victims[1])} of lower priority to be evicted")
                return

    def _fails(self, ledger: Ledger, starts: Sequence[Start]) -> str:
        """Why the room is not made any more; empty if it is."""
        making = self.making
        assert making is not None
        refused = next((name for name in making.goes if name in self.engine.unevicted), None)
        if refused is not None:
            self._left_alone.leave(refused, ledger.now_s)
            return f"{refused} was not evicted: {self.engine.unevicted.pop(refused)}"
        if making.id not in ledger.waiting.eligible_ids() or making.id in {start.id for start in starts}:
            return f"{making.id} does not wait any more"
        if ledger.now_s - making.since_s > PATIENCE_S:
            return f"{', '.join(making.goes)} did not go within {PATIENCE_S:g} s"
        up = dict(zip(ledger.listing["cluster"]["names"], ledger.listing["up"], strict=True))
        if not up.get(making.host):
            return f"{making.host} takes no pods any more"
        return (
            "" if is_open_to(ledger, making.id, making.host) else f"other pods keep {making.id} from {making.host} now"
        )

    def _end(self, why: str) -> None:
        if self.making is not None:
            self.engine.keep(self.making.id, "")
        self.making, self._asked = None, set()
        if why:
            self.say(why)


def both(preemptor: Preemptor, moving: Descheduler | None) -> Beside:
    """One after the other: as long as either makes room, the other does not begin to."""

    def beside(ledger: Ledger, starts: Sequence[Start]) -> Sequence[Action]:
        if moving is not None and (moving.plan is not None or moving.engine.moves.under_way is not None):
            return moving(ledger, starts)
        actions = preemptor(ledger, starts)
        return actions if actions or preemptor.making is not None or moving is None else moving(ledger, starts)

    return beside


def victims_for(
    ledger: Ledger, snapshot: Snapshot, row: int, free_to_go: Collection[str]
) -> tuple[str, tuple[str, ...]] | None:
    """The node on which row `row` of the queue finds room, and the pods to evict for it; None if there are none.

    They are chosen by rule C8: those of the lowest priority first, of these what began last, until the pod fits. A
    pod on any other node than the one returned is not evicted.

    Args:
        ledger: what is believed now.
        snapshot: what the scheduler sees.
        row: of the queue.
        free_to_go: pods that may be evicted, all of them together.
    """
    own = _priority(ledger, ledger.waiting.ids[int(snapshot.queue.job[row])])
    below = [
        name
        for name, run in ledger.runs.items()
        if run.running and name in free_to_go and _priority(ledger, name) < own and len(run.hosts) == 1
    ]
    number = {name: job for job, name in enumerate(ledger.waiting.ids)}
    host = {name: row for row, name in enumerate(snapshot.cluster.names)}
    levels = sorted({_priority(ledger, name) for name in below})
    candidates = [
        Victim(
            number[name],
            levels.index(_priority(ledger, name)),
            frozenset({host[ledger.runs[name].hosts[0]]}),
            ledger.runs[name].start_s,
        )
        for name in sorted(below, key=lambda name: -ledger.runs[name].start_s)
    ]
    where, rules = {each.job: next(iter(each.hosts)) for each in candidates}, rules_now(snapshot)

    def room(jobs: Sequence[int]) -> tuple[int, ...] | None:
        fits = np.flatnonzero(_fits(ledger, snapshot, row, {job: where[job] for job in jobs}, rules))
        mine = [at for at in fits.tolist() if at in {where[job] for job in jobs}]
        return (mine[0],) if mine else None

    goes = victims(candidates, room, _RULES)
    if not goes:
        return None
    names = tuple(ledger.waiting.ids[job] for job in goes)
    taken = room(goes)
    assert taken is not None
    return snapshot.cluster.names[taken[0]], names


def _fits(
    ledger: Ledger, snapshot: Snapshot, row: int, without: Mapping[int, int], rules: JobRulesNow | None
) -> np.ndarray:
    """bool[H]: where a row of the queue would fit without some jobs, each on its host."""
    free = np.array(snapshot.free)
    for k, job in enumerate(snapshot.running.job.tolist()):
        if job in without:
            free[int(snapshot.running.host[k])] += snapshot.running.demand[k]
    up = np.array(ledger.listing["up"], bool)
    may = up & open_to(ledger, int(snapshot.queue.job[row]), rules)
    return (free >= snapshot.queue.demand[row]).all(axis=1) & may  # type: ignore[no-any-return]


def _priority(ledger: Ledger, name: str) -> float:
    return float(ledger.rows[name].get("priority", 0.0))
