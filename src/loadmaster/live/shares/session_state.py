"""The state of commands between two observations. Only observations, decisions and refusals change it.

The decider keeps them while it runs. A reader of its record comes to the same state, and so to the same decisions.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from loadmaster.live.session.disruption import TRIES
from loadmaster.live.session.engine import Refusal
from loadmaster.live.session.lines import actions_in
from loadmaster.live.shares.batch import Batch
from loadmaster.live.shares.method import CarriedShares, ShareMethod, ShareView
from loadmaster.model.actions import Action, Cap, Move, Start


@dataclass
class SharesSessionState:
    """Of one session.

    Attributes:
        batch: commands and machines.
        method: that decides; None where nothing is decided, as in the timeline of a record.
        running: the machine of every command that runs, by name, in the order in which they started.
        cap: its share, as far as we have requested one in this session.
        over: (status, exit code) of those that are over.
        carried: by the last decision.
        refusals: of each command, in this session.
        dirty: something has changed since the last decision.
    """

    batch: Batch
    method: ShareMethod | None = None
    running: dict[str, int] = field(default_factory=dict)
    cap: dict[str, float] = field(default_factory=dict)
    over: dict[str, tuple[str, int | None]] = field(default_factory=dict)
    carried: CarriedShares = field(default_factory=CarriedShares)
    refusals: dict[str, int] = field(default_factory=dict)
    dirty: bool = True

    @property
    def waiting(self) -> list[str]:
        """Those that neither run nor are over."""
        return [name for name in self.batch.ids if name not in self.running and name not in self.over]

    @property
    def is_done(self) -> bool:
        """All commands are over."""
        return len(self.over) == len(self.batch.commands)

    def see(self, over: Sequence[Sequence[Any]], lost: Sequence[str], elsewhere: Mapping[str, int]) -> None:
        """Commands are over, or are gone without a word and wait again, or run on another machine than was believed."""
        for name, status, code, *_ in over:
            self.over[name] = (status, code)
        for name in (*(each[0] for each in over), *lost):
            self.running.pop(name, None)
            self.cap.pop(name, None)
        self.running |= elsewhere
        for name in elsewhere:
            self.over.pop(name, None)  # it had been given up, and runs
        self.dirty |= bool(over or lost or elsewhere)

    def read_observation(self, line: Mapping[str, Any]) -> None:
        """See `SessionState`."""
        self.see(line["over"], line["lost"], line["elsewhere"])

    def read_decision(self, line: Mapping[str, Any]) -> None:
        """See `SessionState`."""
        self.take(actions_in(line), line["given_up"], CarriedShares(*line["carried"]))

    def answered(self, refusals: Sequence[Refusal]) -> None:
        """See `SessionState`."""
        for refusal in refusals:
            self.refused(refusal)

    def decide(self) -> tuple[list[Action], list[str], CarriedShares]:
        """What to ask, those that can never run, and what to carry; changes nothing."""
        assert self.method is not None
        given_up: list[str] = []
        while True:
            rows = {int(name) - 1: at for name, at in self.running.items()}
            waiting = [int(name) - 1 for name in self.waiting if name not in given_up]
            shares = self.method.decide(ShareView(self.batch, rows, waiting, self.carried))
            if shares.host or not waiting:
                break
            given_up.append(str(waiting[0] + 1))  # even empty machines cannot hold it
        ids, names = self.batch.ids, self.batch.machines.names
        host = {ids[row]: at for row, at in shares.host.items()}
        share = {ids[row]: part for row, part in shares.share.items()}
        moves = [Move(name, (names[host[name]],)) for name, at in self.running.items() if host[name] != at]
        new = [name for name in host if name not in self.running]
        caps = {name: Cap(name, share[name]) for name in host if share[name] != self.cap.get(name)}
        less = [cap for name, cap in caps.items() if name in self.running and cap.share < self.cap.get(name, 2.0)]
        more = [cap for name, cap in caps.items() if name in self.running and cap not in less]
        starts = [each for name in new for each in (caps[name], Start(name, (names[host[name]],)))]
        return [*less, *moves, *starts, *more], given_up, shares.carried

    def take(self, actions: Sequence[Action], given_up: Sequence[str], carried: CarriedShares) -> None:
        """A decision is believed to come true, until the engine says otherwise."""
        row = {name: at for at, name in enumerate(self.batch.machines.names)}
        for action in actions:
            if isinstance(action, Cap):
                self.cap[action.id] = action.share
            elif isinstance(action, Start):
                self.running[action.id] = row[action.hosts[0]]
            elif isinstance(action, Move):
                self.running[action.id] = row[action.to[0]]
        self.over |= dict.fromkeys(given_up, ("refused", None))
        self.carried, self.dirty = carried, False

    def refused(self, refusal: Refusal) -> None:
        """What was refused is requested again, a few times; a command that could not be started waits meanwhile."""
        name = refusal.id
        self.cap.pop(name, None)
        self.refusals[name] = self.refusals.get(name, 0) + 1
        if isinstance(refusal.action, Start):
            self.running.pop(name, None)
            if self.refusals[name] >= TRIES:
                self.over[name] = ("refused", None)
            self.dirty = True
        self.dirty |= self.refusals[name] < TRIES


def session_state_of(line: Mapping[str, Any], method: ShareMethod | None = None) -> SharesSessionState:
    """The state as a session begins, by its first line; decided on by `method`, if at all."""
    batch = Batch.of(line["batch"])
    over = {name: (status, code) for name, status, code, *_ in line["over"]}
    return SharesSessionState(batch, method, dict(line["running"]), over=over, carried=CarriedShares(*line["carried"]))
