"""A shadow beside the site: in each cycle, the site's starts and the rule's starts on the same snapshot."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from loadmaster.live.queue.listing import Listing, applied
from loadmaster.live.queue.record import CycleDecision, Pass, passes_of
from loadmaster.live.session.engine import HELD, RUNNING


@dataclass(frozen=True)
class Cycle:
    """One decision of a shadow, and what the site did until the next observation.

    Attributes:
        at_s: of the decision, seconds since the record's origin.
        queue: jobs that waited.
        ours: jobs that we would have started, each in the first cycle only in which that was so.
        theirs: jobs that the site started, of those that had been seen to wait.
        both: of theirs, those that we would have started in this very cycle; alike: and on the same hosts.
        our_cores, their_cores: cores of `ours` and of `theirs`.
        unseen: jobs that came and started between two observations: no decision on them was possible.
    """

    at_s: float
    queue: int
    ours: int
    theirs: int
    both: int
    alike: int
    our_cores: float
    their_cores: float
    unseen: int


@dataclass
class Agreement:
    """All cycles of a shadow."""

    cycles: list[Cycle] = field(default_factory=list)

    def total(self, name: str) -> float:
        """Sum of one attribute over all cycles."""
        return float(sum(getattr(cycle, name) for cycle in self.cycles))

    def fold(self) -> None:
        """Put all cycles together in one, so that a long shadow takes no more memory than a short one."""
        if len(self.cycles) > 1:
            sums: dict[str, Any] = {each.name: self.total(each.name) for each in fields(Cycle)}
            self.cycles = [replace(Cycle(**sums), at_s=self.cycles[-1].at_s, queue=self.cycles[-1].queue)]

    def summary(self) -> dict[str, Any]:
        """Sums, and shares of the site's starts; None where the site started nothing that waited."""
        theirs = self.total("theirs")
        return {
            "site_starts": int(theirs),
            "our_starts": int(self.total("ours")),
            "same_job": self.total("both") / theirs if theirs else None,
            "same_hosts": self.total("alike") / theirs if theirs else None,
            "site_cores": self.total("their_cores"),
            "our_cores": self.total("our_cores"),
            "started_unseen": int(self.total("unseen")),
        }


@dataclass
class AgreementCounter:
    """Compares cycle by cycle, for as long as a shadow looks on.

    Attributes:
        agreement: so far.
    """

    agreement: Agreement = field(default_factory=Agreement)
    _listing: Listing = field(default_factory=dict)
    _decided: dict[str, tuple[str, ...]] = field(default_factory=dict)
    _wanted: set[str] = field(default_factory=set)
    _at_s: float = 0.0

    def begin(self) -> None:
        """A session begins: what another one decided is not compared with what it sees."""
        self._decided = {}

    def see(self, at_s: float, listing: Listing, passes: Iterable[Pass]) -> None:
        """An observation, and what was decided on it."""
        if self._listing:
            self.agreement.cycles.append(_cycle(self._at_s, self._listing, listing, self._decided, self._wanted))
            self._wanted |= self._decided.keys()
        self._listing, self._at_s = listing, at_s
        self._decided = {start.id: start.hosts for each in passes for start in each.starts}

    def end(self) -> None:
        """Nothing was seen to change since: what was decided last counts as well, and the site started nothing."""
        if self._decided.keys() - self._wanted:
            cycle = _cycle(self._at_s, self._listing, self._listing, self._decided, self._wanted)
            self.agreement.cycles.append(cycle)

    def look(self, at_s: float, listing: Listing, decided: CycleDecision) -> None:
        """As `see`, of a loop at work, where sums alone are kept; a quiet cycle is none, as in the record."""
        acts = decided.passes or decided.skipped
        if acts or any(value != self._listing.get(name) for name, value in listing.items() if name != "at_s"):
            self.see(at_s, listing, decided.passes)
            self.agreement.fold()


def agreement_of(lines: Iterable[Mapping[str, Any]]) -> Agreement:
    """Compare decisions and events of a shadow's record.

    Example:
        >>> agreement_of([]).summary()["same_job"] is None
        True
    """
    agreeing, listing = AgreementCounter(), Listing()
    for line in lines:
        if "begin" in line:
            agreeing.begin()
        if "cycle" in line:
            listing = applied(listing, line["seen"])
            agreeing.see(line["cycle"], listing, passes_of(line))
    agreeing.end()
    return agreeing.agreement


def _cycle(
    at_s: float, before: Listing, after: Listing, decided: Mapping[str, tuple[str, ...]], wanted: set[str]
) -> Cycle:
    begun = begun_between(before, after)
    seen = {name for name in begun if _state(before["jobs"].get(name)) == HELD}
    both, fresh = seen & decided.keys(), decided.keys() - wanted
    return Cycle(
        at_s=at_s,
        queue=sum(_state(row) == HELD for row in before["jobs"].values()),
        ours=len(fresh),
        theirs=len(seen),
        both=len(both),
        alike=sum(sorted(decided[name]) == sorted(begun[name]) for name in both),
        our_cores=sum(_cores(before["jobs"][name]) for name in fresh),
        their_cores=sum(_cores(before["jobs"][name]) for name in seen),
        unseen=len(begun) - len(seen),
    )


def begun_between(before: Listing, after: Listing) -> dict[str, tuple[str, ...]]:
    """The jobs that the site started between two observations, with the hosts of their tasks."""
    names = after["cluster"]["names"]
    return {
        name: tuple(names[host] for host in row["host"])
        for name, row in after["jobs"].items()
        if _state(row) == RUNNING and _state(before["jobs"].get(name)) != RUNNING
    }


def _state(row: Mapping[str, Any] | None) -> int:
    return -1 if row is None else int(row["state"][0])


def _cores(row: Mapping[str, Any]) -> float:
    return float(row["demand"][0]) * len(row["state"])
