"""A sizer on real machines: an observation becomes its snapshot, its decision becomes actions."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from loadmaster.live.bag.budget import BagBudget
from loadmaster.live.bag.new_events import BagUpdates
from loadmaster.live.bag.session_state import BagSessionState
from loadmaster.live.session.decider import Decider, Line, Step
from loadmaster.live.session.engine import Observation, Refusal
from loadmaster.model.actions import Action, Release, Rent, Start
from loadmaster.sizing import BagSnapshot, Sizer, decide
from loadmaster.sizing.snapshot import Occasion

LOOK_S = 0.2
"""How often machines are looked at when nothing is told."""
SHOW_S = 1.0

ALIVE_S = 60.0
"""How often the log says that the runner lives, so that one that is killed has its machines charged to the minute."""

Watch = Callable[[BagSnapshot, Sizer, float, int], None]
"""Called after every decision, and every second, with the snapshot, the sizer of this start, money spent and commands
done in all starts."""


@dataclass
class BagDecider(Decider):
    """See `Decider`: hands out the commands of a bag to machines that a sizer rents and gives back.

    It hands nothing back: no other program could start the waiting commands, which are in the user's file.

    Attributes:
        state: of this start.
        updates: what comes into them.
        sizer: for what is left of budget and deadline.
        budget: what may still be spent.
        earlier: lines for the log that tell what this start took over from those before it.
        watch: told of every decision.
        spent_before: money of earlier starts.
        elapsed_before_s: seconds by the clock since the first of them began.
        tick_s, wake_s: when the next look of the clock, and the next decision that the last one requested, are due.
        ended_s, cost: when this start ended, and what was charged for it.
    """

    state: BagSessionState
    updates: BagUpdates
    sizer: Sizer
    budget: BagBudget
    earlier: Sequence[Line]
    watch: Watch
    spent_before: float = 0.0
    elapsed_before_s: float = 0.0
    hands_back: bool = False
    until_s: float = math.inf
    tick_s: float = 0.0
    wake_s: float = math.inf
    shown_s: float = 0.0
    alive_s: float = 0.0
    ended_s: float = 0.0
    cost: float = 0.0
    begun: bool = False
    busy: bool = False
    asked: list[Action] = field(default_factory=list)
    last: BagSnapshot | None = None

    def begin(self, first: Observation) -> Sequence[Line]:
        """See `Decider`."""
        return self.earlier

    def decide(self, seen: Observation, *, away: bool) -> Step:
        """Enter one piece of news and decide on it; a look of the clock where there is none."""
        self.asked = []
        occasion = self._occasion(seen)
        if occasion is not None and not self.state.ledger.complete:
            self._decide(occasion)
        self.busy = occasion is not None
        if self.state.now_s - self.alive_s >= ALIVE_S:
            self.alive_s = self.state.now_s
            self.state.write(alive=True, t=self.alive_s)
        return Step(self.state.taken(), self.asked)

    def refused(self, refusal: Refusal) -> None:
        """A machine that takes no command is given up; other refused actions are decided again."""
        if isinstance(refusal.action, Start):
            host = self.state.running()[refusal.action.id]
            self.updates.refused[host] = f"its machine did not take it ({refusal.text})"

    def after_cycle(self) -> None:
        """Every second, or after a decision."""
        now_s = self.state.now_s
        if now_s - self.shown_s >= SHOW_S:
            self.shown_s, self.last = now_s, self.state.ledger.snapshot(now_s, "change")
        if self.last is not None:
            spent = self.spent_before + self.state.spent
            self.watch(self.last, self.sizer, spent, len(self.updates.exits))
            self.last = None

    def next_s(self, now_s: float) -> float:
        """At once while there are events; else when the sizer is due, or a little later, to look for new machines."""
        if self.state.ledger.complete or self.is_out_of_money:
            return math.inf
        return now_s if self.busy else min(self.tick_s, self.wake_s, now_s + LOOK_S)

    def end(self, how: str) -> Sequence[Line]:
        """See `Decider`; machines that are given back with the run are charged up to now."""
        ended = "budget" if how == "done" and not self.state.ledger.complete else how
        self.ended_s = self.state.now_s
        self.cost = self.state.ledger.spent(self.ended_s)
        self.state.write(ended=ended, t=self.ended_s, spent=self.cost)
        if how == "done":
            for host in self.state.ledger.alive():
                self.state.note("released", host)
        return self.state.taken()

    @property
    def is_out_of_money(self) -> bool:
        """Nothing runs any more, and no machine can be paid for."""
        return self.begun and not self.state.ledger.alive() and self.budget.pays_for(self.state.spent) < 1

    def _occasion(self, seen: Observation) -> Occasion | None:
        """Why a decision is due, if one is."""
        if not self.begun:
            self.begun, self.tick_s = True, self.state.now_s + self.sizer.tick_s
            return "start"
        occasion = self.updates.take(seen)
        self.asked, self.updates.asked = self.updates.asked, []
        if occasion is not None:
            return occasion
        if self._give_back_unpaid():
            return "change"
        now_s = self.state.now_s
        if now_s >= self.tick_s:
            self.tick_s = now_s + self.sizer.tick_s
            return "tick"
        return "change" if now_s >= self.wake_s else None

    def _give_back_unpaid(self) -> bool:
        """Machines at the end of their paid time go back if the budget does not reach, their commands with them."""
        state = self.state
        ages = {host: state.now_s - state.since[host] for host in state.ledger.alive()}
        unpaid = self.budget.unpaid(ages, state.spent)
        for host in unpaid:
            if (task := state.ledger.task_on(host)) >= 0:
                self.updates.say(f"task {state.line[task]} is stopped: the budget does not pay for more time")
            self._release(host)
        return bool(unpaid)

    def _decide(self, occasion: Occasion) -> None:
        state, ledger = self.state, self.state.ledger
        now_s = state.now_s
        self.last = ledger.snapshot(now_s, occasion)
        actions = decide(self.last, self.sizer)
        state.write(
            decision=occasion,
            t=now_s,
            seen=state.events,
            rent=[list(rent) for rent in actions.rent],
            release=list(actions.release),
            replicate=list(actions.replicate),
            memory=actions.memory,
        )
        ledger.memory, self.wake_s = actions.memory, actions.wake_s
        for host in actions.release:
            self._release(host)
        if (rented := int(min(actions.rented, self.budget.pays_for(state.spent)))) > 0:
            self.asked.append(Rent(self.budget.kind.name, rented))
        for host in ledger.idle():
            if ledger.waiting:
                self._start(host, ledger.waiting[0])
        for task, host in zip(actions.replicate, ledger.idle(), strict=False):
            self.updates.tell(state.line[task], "lasts far longer than others, a copy is started")
            self._start(host, task)

    def _release(self, host: int) -> None:
        self.state.note("released", host)
        self.asked.append(Release(self.state.names[host]))

    def _start(self, host: int, task: int) -> None:
        self.asked.append(Start(self.state.start(host, task), (self.state.names[host],)))
