"""The observations, decisions and actions of a live scheduler: one line of JSON a cycle, on disk before it acts (X8).

begin   one a session: the setting, how it behaves, where its clock begins
cycle   what has changed since the last observation; `refused`: earlier starts that the engine accepted and refuses now;
        the passes of its decision, each with its starts and what it leaves for the next; what is asked of the engine;
        `parting`: seen and asked as all was handed back
answer  what became of that: the refusals
end     how the session ended

Reading the lines again, in order, gives the ledger to the bit: nothing else is kept anywhere.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from loadmaster.live.queue.allocations import Allocation, Carryover, ObservedChanges
from loadmaster.live.queue.ledger import Ledger
from loadmaster.live.queue.listing import Listing, applied
from loadmaster.live.session.engine import Refusal
from loadmaster.live.session.lines import actions_in, plain_actions, plain_refusals, refusals_in
from loadmaster.live.session.record_file import RecordFile
from loadmaster.model import Cluster
from loadmaster.model.actions import Action, Start
from loadmaster.model.snapshot import Alternative, NextLoops, Place
from loadmaster.order import ORDERS, AnyOrder

FILE = "live.jsonl"


class Pass(NamedTuple):
    """One decision.

    Attributes:
        starts: in order; partitions: of each.
        carried: what it leaves for the next.
        winners, chosen, options: of a meta-rule, as in `Decision`.
        queued: jobs that waited, started or not.
    """

    starts: tuple[Start, ...]
    partitions: tuple[int, ...]
    carried: Carryover
    winners: int = 0
    queued: int = 0
    chosen: int = -1
    options: tuple[Alternative, ...] = ()


@dataclass
class CycleDecision:
    """The result of one cycle.

    Attributes:
        passes: () where nothing could have changed.
        by: `rule` or `fallback`.
        taken: whether the starts were requested.
        cut: whether `--max-starts` left some out.
        skipped: why no decision was taken.
    """

    passes: list[Pass] = field(default_factory=list)
    by: str = "rule"
    taken: bool = True
    cut: bool = False
    skipped: str = ""


class LiveRecord(RecordFile):
    """The file of a folder, open for writing; one writer at a time."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder / FILE)
        self.open()


def cycle_line(
    now_s: float,
    changed: Mapping[str, Any],
    forgetful: bool,
    decided: CycleDecision,
    actions: Sequence[Action],
    refused: Sequence[Refusal] = (),
) -> dict[str, Any]:
    """A cycle, before anything of it is asked of the engine.

    Args:
        now_s: its nominal moment.
        changed: what the observation changes.
        forgetful: the engine or we were away.
        decided: on it.
        actions: what is asked of the engine.
        refused: earlier starts that the engine accepted, and of which the observation says that they were refused.
    """
    line: dict[str, Any] = {"cycle": now_s, "seen": changed}
    if refused:
        line |= {"refused": plain_refusals(refused)}
    if forgetful:
        line["forgetful"] = True
    if decided.passes:
        line["passes"] = [_plain_pass(each) for each in decided.passes]
        line |= {"by": decided.by, "taken": decided.taken, "cut": decided.cut}
    if decided.skipped:
        line["skipped"] = decided.skipped
    if actions:
        line["asked"] = plain_actions(actions)
    return line


Look = Callable[[ObservedChanges | None, Mapping[str, Allocation]], None]
"""Called with what an observation has changed, and with the allocations before it, by job."""


class RecordReader:
    """Lines of a record put through a ledger once more.

    Attributes:
        ledger: as it stands.
        acts: whether the session acted.
    """

    def __init__(self, order: AnyOrder, origin_s: float, seed: int) -> None:
        self.ledger = Ledger(order, origin_s, seed)
        self.acts = True
        self._listing: Listing = {}

    @classmethod
    def of(cls, lines: Sequence[Mapping[str, Any]], order: AnyOrder | None = None) -> "RecordReader":
        """One that is to read these lines; without an `order`, as where no order is asked, by arrival."""
        return cls(ORDERS["fcfs"] if order is None else order, lines[0]["origin_s"], lines[0]["seed"])

    def read(self, line: Mapping[str, Any]) -> ObservedChanges | None:
        """Take one line, up to the passes of its decision; see `take`."""
        if "begin" in line:
            self.acts = line["conduct"]["mode"] == "live"
        if "cycle" not in line:
            self._refused(line)
            return None
        self._listing = applied(self._listing, line["seen"])
        changes = self.ledger.see(self._listing, line["cycle"], forgetful=line.get("forgetful", False))
        self._refused(line)
        if self.acts:
            self.ledger.overdue()
        if line.get("skipped"):
            self.ledger.ask()
        return changes

    def read_whole(self, line: Mapping[str, Any], look: Look | None = None) -> ObservedChanges | None:
        """Take all of one line; what its observation has changed, if it has one.

        Args:
            line: the next of the record.
            look: called before the decision of the line is taken, with the changes and all that had hosts until then.
        """
        before = {} if look is None else {name: replace(run) for name, run in self.ledger.runs.items()}
        changes = self.read(line)
        if look is not None:
            look(changes, before)
        for each in passes_of(line):
            self.take(line, each)
        self.after(line)
        return changes

    def _refused(self, line: Mapping[str, Any]) -> None:
        for refusal in refusals_in(line):
            self.ledger.refused(refusal)

    def take(self, line: Mapping[str, Any], each: Pass) -> None:
        """One pass of a line's decision was taken."""
        if line["by"] == "rule":
            self.ledger.ask()
        starts, partitions = (each.starts, each.partitions) if line["taken"] else ((), ())
        self.ledger.take(starts, partitions, each.carried)

    def after(self, line: Mapping[str, Any]) -> None:
        """All passes of a line were taken."""
        if self.acts and "cycle" in line:
            self.ledger.loose()
            self.ledger.asked_beside(actions_in(line))


def starts_on(places: Iterable[Place], ids: Sequence[str], cluster: Cluster) -> tuple[Start, ...]:
    """What a decision requests, by the engine's names: `ids` are those of jobs by their numbers in it."""
    return tuple(Start(ids[each.job], tuple(cluster.names[host] for host in each.hosts)) for each in places)


def passes_of(line: Mapping[str, Any]) -> list[Pass]:
    """The passes of a cycle's decision."""
    return [_pass_in(plain) for plain in line.get("passes", ())]


def ledger_after(lines: Iterable[Mapping[str, Any]], order: AnyOrder, origin_s: float, seed: int) -> RecordReader:
    """The ledger as it stood after the last of `lines`."""
    reading = RecordReader(order, origin_s, seed)
    for line in lines:
        reading.read_whole(line)
    return reading


def cycles_of(lines: Iterable[Mapping[str, Any]]) -> Iterator[tuple[Listing, dict[str, tuple[str, ...]]]]:
    """Of every cycle what was seen, whole, and the starts that were decided on it: by job, a host for each task."""
    listing: Listing = {}
    for line in lines:
        if "cycle" in line:
            listing = applied(listing, line["seen"])
            yield listing, {start.id: start.hosts for each in passes_of(line) for start in each.starts}


def lines_of(folder: Path) -> list[dict[str, Any]]:
    """The lines of the record in `folder`.

    Raises:
        InputError: there is none, or it is of another format.
    """
    return RecordFile(folder / FILE).begun("a live run", "make one with loadmaster live ... -o DIR")


def is_being_written(folder: Path) -> bool:
    """Whether the live run whose record is in `folder` goes on."""
    return RecordFile(folder / FILE).is_being_written()


def left_out_in(lines: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Jobs that the model had no words for, at any time, each with the reason that was given last."""
    listings = (line.get("seen", {}).get("left_out", ()) for line in lines)
    return {name: why for listing in listings for name, why in listing}


def _plain_pass(each: Pass) -> dict[str, Any]:
    carried = each.carried
    meta = {"chosen": each.chosen, "options": [list(option) for option in each.options]} if each.options else {}
    return {
        **meta,
        "starts": [
            [start.id, list(start.hosts), part] for start, part in zip(each.starts, each.partitions, strict=True)
        ],
        "winners": each.winners,
        "queued": each.queued,
        "last_host": carried.last_host,
        "promises": {name: [str(start_s), list(hosts)] for name, (start_s, hosts) in carried.promises.items()},
        "wake_s": str(carried.wake_s),
        "clock": [str(value) for value in carried.clock],
    }


def _pass_in(plain: Mapping[str, Any]) -> Pass:
    promises = {name: (float(start_s), tuple(hosts)) for name, (start_s, hosts) in plain["promises"].items()}
    clock = NextLoops(*(float(value) for value in plain["clock"]))
    carried = Carryover(plain["last_host"], promises, float(plain["wake_s"]), clock)
    starts = tuple(Start(name, tuple(hosts)) for name, hosts, _ in plain["starts"])
    options = tuple(Alternative(*option) for option in plain.get("options", ()))
    return Pass(
        starts,
        tuple(part for *_, part in plain["starts"]),
        carried,
        plain["winners"],
        plain["queued"],
        plain.get("chosen", -1),
        options,
    )
