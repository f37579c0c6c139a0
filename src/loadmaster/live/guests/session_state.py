"""The state of virtual machines between two observations. Only observations, actions and refusals change it.

Reading a record again gives the same state, and so the same decisions.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from loadmaster.live.guests.config import GuestsConfig
from loadmaster.live.guests.movers import MoveRequest, MoveStep
from loadmaster.live.guests.snapshot import Guest, GuestSnapshot
from loadmaster.live.session.disruption import TRIES, Cooldowns, MoveBudget
from loadmaster.live.session.engine import Refusal, job_of
from loadmaster.live.session.lines import actions_in
from loadmaster.model.actions import Action, Cap, Move

FORGOTTEN_S = 3600.0
"""A machine that has been away for so long is a new one when it comes again."""


@dataclass
class GuestsSessionState:
    """Of one session.

    Attributes:
        config: how to behave.
        move_budget: what may be moved.
        snapshot: as it was seen last, at `now_s`.
        steps: moves that are planned.
        sent: the move that was asked last, and where its machine was then; None when it is over.
        tick: the number of the next tick of the mover, from 1.
        due_s: when it is asked again.
        scale: that movers remember.
        unmoved: machines that are left where they are for now, as they could not be moved.
        uncapped: machines whose caps are left as they are for now, as they refused them so often.
        refused_caps: of each machine, in a row.
        found: the share with which each machine was first seen, which is the most it gets.
        away_s: since when a machine has not been seen.
        moved: machines that have come to where they were sent.
    """

    config: GuestsConfig
    move_budget: MoveBudget = field(init=False)
    snapshot: GuestSnapshot = field(default_factory=GuestSnapshot)
    now_s: float = -math.inf
    steps: list[MoveStep] = field(default_factory=list)
    sent: tuple[MoveStep, str] | None = None
    tick: int = 1
    due_s: float = -math.inf
    scale: float = 1.0
    unmoved: Cooldowns = field(default_factory=Cooldowns)
    uncapped: Cooldowns = field(default_factory=Cooldowns)
    refused_caps: dict[str, int] = field(default_factory=dict)
    found: dict[str, float] = field(default_factory=dict)
    away_s: dict[str, float] = field(default_factory=dict)
    moved: int = 0

    def __post_init__(self) -> None:
        self.move_budget = MoveBudget(self.config.most, self.config.unit)

    def see(self, now_s: float, changes: Mapping[str, Any], failed: Sequence[Sequence[str]] = ()) -> None:
        """A look: what is otherwise now, and moves that came to nothing."""
        self.now_s, self.snapshot = now_s, self.snapshot.changed(changes)
        there = self.snapshot.guests
        self._remember(there)
        for name, _ in failed:
            self._leave(name)
        if self.sent is not None:
            self._follow(*self.sent)

    def _remember(self, there: Mapping[str, Guest]) -> None:
        """What each may have at most: the cap with which it was first seen. One that is away may be on its way."""
        for name, guest in there.items():
            self.found.setdefault(name, guest.share)
            self.away_s.pop(name, None)
        for name in self.found:
            if name not in there:
                self.away_s.setdefault(name, self.now_s)
        for name in [name for name, since_s in self.away_s.items() if since_s <= self.now_s - FORGOTTEN_S]:
            del self.found[name], self.away_s[name]

    def _follow(self, step: MoveStep, source: str) -> None:
        guest = self.snapshot.guests.get(step.id)
        if guest is not None and guest.to:
            return
        self.sent = None
        if guest is not None and guest.host == source:
            self._leave(step.id)
        self.moved += guest is not None and guest.host == step.host

    def _leave(self, name: str) -> None:
        """It was not moved: what was planned after it may not be any good."""
        self.unmoved.leave(name, self.now_s)
        self.steps.clear()

    def read_observation(self, line: Mapping[str, Any]) -> None:
        """See `SessionState`."""
        self.see(line["cycle"], line["changes"], line.get("failed", ()))

    def read_decision(self, line: Mapping[str, Any]) -> None:
        """See `SessionState`; what a dry run would have asked was not asked."""
        self.take(actions_in(line))

    def decide(self) -> list[Action]:
        """What to ask: smaller caps, else a move, then larger caps, so that no host promises more than it has.

        No machine begins a move before it has the cap that its host needs. A dry run shows such a move all the same,
        though its caps are never applied.
        """
        far = self._far_off() if self.config.caps else {}
        less = [Cap(name, share) for name, share in far.items() if share < self.snapshot.guests[name].share]
        move = [] if less and self.config.acts else self._next_move()
        gone = {each.id for each in move}
        more = [Cap(name, share) for name, share in far.items() if share > self.snapshot.guests[name].share]
        return [*less, *move, *(each for each in more if each.id not in gone)]

    def _far_off(self) -> dict[str, float]:
        """Shares that are not so yet, but for machines whose caps are left alone for now."""
        left = self.uncapped.at(self.now_s)
        wanted = {name: min(share, self.found[name]) for name, share in self.snapshot.wanted_shares().items()}
        return {name: share for name, share in self.snapshot.far_off(wanted).items() if name not in left}

    def _next_move(self) -> list[Move]:
        """The next of those planned that still stands; a new plan where there is none and it is time for one."""
        if self.config.moves is None or self.sent is not None or self.snapshot.travelling:
            return []
        if not self.steps and self.now_s >= self.due_s:
            self._plan()
        while self.steps:
            step = self.steps.pop(0)
            if self._is_valid(step):
                return [Move(step.id, (step.host,))]
            self.steps.clear()
        return []

    def _plan(self) -> None:
        assert self.config.moves is not None
        left = self.move_budget.left(self.now_s)
        if self.snapshot.guests and left > 0:
            unit, seed, stay = self.config.unit, self.config.seed, self.unmoved.at(self.now_s)
            ask = MoveRequest(self.snapshot, stay, self.tick, left, unit, seed, self.scale)
            plan = self.config.moves.plan(ask)
            self.steps, self.scale = list(plan.steps), plan.scale
        self.tick += 1
        self.due_s = self.now_s + self.config.every_s

    def _is_valid(self, step: MoveStep) -> bool:
        """It is still there and may move, its host is up and has room for its memory, and the budget reaches."""
        guest, host = self.snapshot.guests.get(step.id), self.snapshot.hosts.get(step.host)
        if guest is None or host is None or guest.stays or not host.up or guest.host == step.host:
            return False
        if self.cost(guest) > self.move_budget.left(self.now_s) * (1 + 1e-9):
            return False
        used = sum(each.memory for each in self.snapshot.guests.values() if each.host == step.host)
        return used + guest.memory <= host.memory

    def cost(self, guest: Guest) -> float:
        """What moving it takes of the budget."""
        return guest.memory if self.config.unit == "bytes" else 1.0

    def take(self, actions: Sequence[Action]) -> None:
        """It will be asked of the engine."""
        for action in actions:
            name = job_of(action)
            guest = self.snapshot.guests[name]
            if isinstance(action, Move):
                self.sent = (MoveStep(name, action.to[0]), guest.host)
                self.move_budget.pay(self.now_s, self.cost(guest))

    def answered(self, refusals: Sequence[Refusal]) -> None:
        """What became of it."""
        refused = {each.id for each in refusals if isinstance(each.action, Cap)}
        for name in [name for name in self.refused_caps if name not in refused]:
            del self.refused_caps[name]
        for name in refused:
            self.refused_caps[name] = self.refused_caps.get(name, 0) + 1
            if self.refused_caps[name] >= TRIES:
                self.uncapped.leave(name, self.now_s)
                del self.refused_caps[name]
        for each in refusals:
            if isinstance(each.action, Move):
                self.sent = None
                self._leave(each.action.id)

    def restored(self) -> list[Action]:
        """Caps as they were found, of those that have others now and are not on their way."""
        guests = self.snapshot.guests
        shares = {name: share for name, share in self.found.items() if name in guests and not guests[name].to}
        return [Cap(name, share) for name, share in self.snapshot.far_off(shares).items()]

    def plain(self) -> dict[str, Any]:
        """What a later session, or a check of this one, goes on with."""
        return {
            "spent": [list(each) for each in self.move_budget.spent],
            "tick": self.tick,
            "scale": self.scale,
            "found": self.found,
        }

    @classmethod
    def begun(cls, line: Mapping[str, Any]) -> "GuestsSessionState":
        """The state as a session begins, by its first line."""
        return cls.of(GuestsConfig.of(line["terms"]), line["carried"])

    @classmethod
    def of(cls, config: GuestsConfig, plain: Mapping[str, Any]) -> "GuestsSessionState":
        """The state as a session begins."""
        state = cls(config)
        state.move_budget.spent.extend((at_s, amount) for at_s, amount in plain.get("spent", ()))
        state.tick, state.scale = plain.get("tick", 1), plain.get("scale", 1.0)
        state.found = dict(plain.get("found", {}))
        return state
