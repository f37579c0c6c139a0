"""Evicts pods within a budget so that a waiting pod finds room: evictions and nodes are one decision (rule X11)."""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from loadmaster.live.kubernetes.engine import KubernetesEngine
from loadmaster.live.queue.ledger import Ledger
from loadmaster.live.queue.make_room import RoomMoves, first_without_room, is_open_to, room_for
from loadmaster.live.session.disruption import Cooldowns, MoveBudget
from loadmaster.model.actions import Action, Move, Start

PATIENCE_S = 30.0


@dataclass
class Descheduler:
    """Told of every cycle, it says what to ask of the engine beside what the rule decided.

    Attributes:
        engine: that moves pods and keeps rooms.
        move_budget: the budget.
        say: told what it does, in sentences.
        patience_s: a pod must have waited so long without room.
    """

    engine: KubernetesEngine
    move_budget: MoveBudget
    say: Callable[[str], None] = lambda _: None
    patience_s: float = PATIENCE_S
    plan: RoomMoves | None = None
    steps: deque[Move] = field(default_factory=deque)
    sent: str = ""
    _in_vain: object = None
    _first: tuple[str, float] = ("", 0.0)
    _unmoved: Cooldowns = field(default_factory=Cooldowns)

    def __call__(self, ledger: Ledger, starts: Sequence[Start]) -> list[Action]:
        """What to do in this cycle: nothing, one move, or the start that all moves were for."""
        if self.engine.moves.under_way is not None:
            return []
        self._note_failure(ledger.now_s)
        if self.plan is None:
            self._look_for_one(ledger)
        if self.plan is None:
            return []
        if not self._plan_is_valid(ledger, starts):
            self._give_up(f"{self.plan.id} does not wait any more, or what was to be moved has changed")
            return []
        if self.steps:
            return [self._next(ledger.now_s)]
        start = Start(self.plan.id, (self.plan.host,))
        self._give_up("")
        return [start]

    def _look_for_one(self, ledger: Ledger) -> None:
        left, name = self.move_budget.left(ledger.now_s), first_without_room(ledger)
        situation = (name, left, frozenset(ledger.runs), tuple(ledger.listing["up"]))
        if name != self._first[0]:
            self._first = (name, ledger.now_s)
        if not name or left <= 0 or situation == self._in_vain or ledger.now_s - self._first[1] < self.patience_s:
            return
        movable = (self.engine.movable() & ledger.runs.keys()) - self._unmoved.at(ledger.now_s)
        plan = room_for(ledger, name, movable, left, self.move_budget.unit)
        if plan is None:
            self._in_vain = situation
            return
        self.plan, self.steps = plan, deque(plan.moves)
        self.engine.keep(plan.id, plan.host)
        self.say(f"room for {plan.id} on {plan.host}: {len(plan.moves)} to be moved")

    def _plan_is_valid(self, ledger: Ledger, starts: Sequence[Start]) -> bool:
        """Whether the plan is still what it was made for."""
        assert self.plan is not None
        waits = self.plan.id in ledger.waiting.eligible_ids() and self.plan.id not in {start.id for start in starts}
        waits = waits and is_open_to(ledger, self.plan.id, self.plan.host)
        return waits and all(step.id in ledger.runs and ledger.runs[step.id].running for step in self.steps)

    def _next(self, now_s: float) -> Move:
        assert self.plan is not None
        step = self.steps.popleft()
        self.sent = step.id
        self.move_budget.pay(now_s, self.plan.spent / len(self.plan.moves))
        return step

    def _note_failure(self, now_s: float) -> None:
        """A move that failed ends the plan; its pod stays for a while."""
        if self.sent in self.engine.moves.failed:
            self._unmoved.leave(self.sent, now_s)
            self._give_up(f"{self.sent} was not moved: {self.engine.moves.failed.pop(self.sent)}")
        self.sent = ""

    def _give_up(self, why: str) -> None:
        if self.plan is not None:
            self.engine.keep(self.plan.id, "")
        self.plan = None
        self.steps.clear()
        if why:
            self.say(why)
