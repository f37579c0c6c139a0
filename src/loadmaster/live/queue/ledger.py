"""The state of a live scheduler: the last observation and its claims; pure, without a clock or an engine.

Told of observations, decisions and refusals in the order in which they come, it says what the scheduler sees, and what
has to be asked of the engine so that claims come true.
"""

import math
from collections.abc import Iterable

import numpy as np

from loadmaster.live.queue.allocations import Allocation, Carryover
from loadmaster.live.queue.cluster_state import PATIENCE_S, ClusterState
from loadmaster.live.queue.order_state import OrderView
from loadmaster.live.queue.rows import state_of
from loadmaster.live.session.disruption import TRIES
from loadmaster.live.session.engine import CLAIMED, HELD, RUNNING, Refusal
from loadmaster.model import Snapshot
from loadmaster.model.actions import Action, Explain, Hold, Repin, Start
from loadmaster.model.arrays import Floats
from loadmaster.model.snapshot import Decision, Promise


class Ledger(ClusterState):
    """The state of a live scheduler, with its claims and starts."""

    def due(self) -> bool:
        """Whether anything has happened since the last decision that could change it (rule X5)."""
        woken = self.decided_s < self.carried.wake_s <= self.now_s
        moments = self.waiting.moments_between(self.decided_s, self.now_s)
        return bool(self.waiting.rows) and (self.arrived or self.ended or woken or moments)

    def snapshot(self, *, ranked: bool = True) -> Snapshot | None:
        """What the scheduler decides on; None if no job may start. Jobs bear their numbers in `waiting.ids`.

        Args:
            ranked: ask the order; without, jobs go by their arrival.
        """
        if not self.waiting.rows:
            return None
        names = self.waiting.queued()
        return self.waiting.snapshot(
            self._demands(),
            np.array([self._number[name] for name in names], np.int64),
            self.order_state.view(names, self.now_s) if ranked else OrderView(),
            self.carried,
            seed=self.seed,
            early_end=self.early_end,
            arrived=self.arrived,
            ended=self.ended,
        )

    def ask(self) -> None:
        """Ask the order, as a decision does: what it reckons when it is asked depends on when that was."""
        if names := self.waiting.queued():
            self.order_state.view(names, self.now_s)

    def carry(self, decision: Decision) -> Carryover:
        """What the decision on the last snapshot leaves, by names."""
        assert self.cluster is not None
        names, ids = self.cluster.names, self.waiting.ids
        promises = {
            ids[job]: (each.start_s, tuple(names[host] for host in each.hosts))
            for job, each in decision.promises.items()
        }
        last = names[decision.last_host] if decision.last_host >= 0 else ""
        return Carryover(last, promises, decision.wake_s, decision.clock)

    def take(self, starts: Iterable[Start], partitions: Iterable[int], carried: Carryover) -> bool:
        """The decision was taken: jobs claim their hosts; whether that lets another start now (rule X5)."""
        eligible = set(self.waiting.eligible_ids())
        starts = list(starts)
        self.decided_s = self.now_s
        self.early_end = self.arrived = self.ended = False
        for start, partition in zip(starts, partitions, strict=True):
            expected_s = self._expected_s(start.id, start.hosts)
            run = Allocation(start.hosts, self.now_s, self.now_s + expected_s, partition, sent_s=self.now_s)
            self.runs[start.id] = run
            self._held_back.pop(start.id, None)
            self.order_state.started(start.id, self.now_s)
        self.carried = carried
        if not starts:
            return False
        self._refresh()
        return self.waiting.binding is not None and not set(self.waiting.eligible_ids()) <= eligible

    def wanted(self, start: Start) -> Action:
        """What to ask of the engine so that a job starts: one that it has released already is pinned anew."""
        return Repin(start.id, start.hosts) if self._state(start.id) == CLAIMED else start

    def overdue(self) -> list[Action]:
        """What to ask of the engine for claims that it has not made true (rule X4), before a decision is taken."""
        actions: list[Action] = []
        for name, run in list(self.runs.items()):
            if run.running or self.now_s - run.sent_s < PATIENCE_S:
                continue
            if self._tries[name] < TRIES:
                self._tries[name] += 1
                run.sent_s = self.now_s
                actions.append(Repin(name, run.hosts))
            else:
                self._give_up(name)
                actions.append(Hold(name))
                self._held_back[name] = self.now_s
                self._put_aside(name, f"did not start on {run.hosts[0]}, asked {TRIES + 1} times")
        if actions:
            self._refresh()
        return actions

    def loose(self) -> list[Action]:
        """What to hold again: jobs that the engine has released at our word and that have no hosts now (rule X4)."""
        actions: list[Action] = []
        for name in self.rows:
            free = name not in self.runs and self._state(name) == CLAIMED and self._pinned(name)
            if free and self.now_s - self._held_back.get(name, -math.inf) >= PATIENCE_S:
                self._held_back[name] = self.now_s
                actions.append(Hold(name))
        return actions

    def asked_beside(self, actions: Iterable[Action]) -> None:
        """What is asked of the engine beside the rule: starts of jobs that room was made for."""
        self._beside |= {each.id for each in actions if isinstance(each, Start) and each.id not in self.runs}

    def refused_starts(self, refusals: Iterable[tuple[str, str]]) -> list[Refusal]:
        """Claims that the engine accepted and refuses now: `refusals` holds (job, why); to be asked before `see`."""
        claims = [(name, self.runs[name].hosts, why) for name, why in refusals if name in self.runs]
        return [Refusal(Start(name, hosts), "unfit", why) for name, hosts, why in claims if not self.runs[name].running]

    def refused(self, refusal: Refusal) -> None:
        """The engine did not do it: what was claimed for it is free again (rule X6)."""
        if isinstance(refusal.action, Explain):
            return
        name = refusal.id
        self._beside.discard(name)
        if name in self.runs and not self.runs[name].running:
            self._give_up(name)
        self._tries[name] += 1
        if refusal.kind == "denied" or self._tries[name] > TRIES:
            self._put_aside(name, f"{refusal.kind}: {refusal.text}")
        self._refresh()

    def promises(self) -> dict[int, Promise]:
        """What earlier decisions promised and still stands, by numbers in `waiting.ids`."""
        return self.waiting.earlier_promises(self.carried.promises)

    def left_out(self) -> list[tuple[str, str]]:
        """(job, why) of all that is not decided on; a job that can never run is listed once."""
        never = dict(self.waiting.never)
        aside = [(name, why) for name, (_, why) in self.aside.items() if name not in never]
        listed = [(name, why) for name, why in self.listing.get("left_out", ())]
        return [*listed, *self.waiting.never, *aside]

    def releasable(self) -> list[str]:
        """Jobs that we keep from the engine's own scheduler: those held for us, and those pinned that do not run."""
        held = [name for name in self.rows if self._state(name) == HELD and not self.rows[name].get("hold")]
        pinned = [name for name in self.rows if self._state(name) == CLAIMED and self._pinned(name)]
        return held + pinned

    def held_by(self, name: str) -> Floats | None:
        """float64[T, R]: what the tasks of a running job hold, where the engine tells it."""
        row = self.rows.get(name, {})
        return np.array(row["holds"], float) if "holds" in row and state_of(row) == RUNNING else None

    def _demands(self) -> dict[str, Floats]:
        """What running tasks hold where the engine says that it is not what their job requested."""
        return {name: held for name in self.runs if (held := self.held_by(name)) is not None}
