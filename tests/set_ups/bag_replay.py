"""Puts a real run's log through the simulator's decisions: they must be those that were taken."""

from dataclasses import dataclass

from loadmaster.live.session.record_file import RecordFile
from loadmaster.sim.bags.reference import BagDecision, replay_bag
from loadmaster.sizing import Actions, BagLedger, Event, HostType, Rental, Sizer


@dataclass
class BagSession:
    """One session of a log: what happened, what was decided, and the durations that were known before."""

    tasks: int
    known_s: list[float]
    events: list[Event]
    decisions: list[BagDecision]


def sessions(log: RecordFile) -> list[BagSession]:
    """Every session of `log`, in order."""
    found: list[BagSession] = []
    for line in log.lines():
        if "session" in line:
            found.append(BagSession(len(line["left"]), list(line["known_s"]), [], []))
        elif "event" in line and "index" in line:
            found[-1].events.append(Event(line["t"], line["event"], line["host"], line["index"]))
        elif "decision" in line:
            rent = tuple(Rental(kind, number) for kind, number in line["rent"])
            actions = Actions(rent, tuple(line["release"]), tuple(line.get("replicate", ())), line["memory"])
            found[-1].decisions.append(BagDecision(line["t"], line["decision"], actions, line["seen"]))
    return found


def decide_again(session: BagSession, sizer: Sizer, kind: HostType) -> list[BagDecision]:
    """The decisions `sizer` takes on the events of a real session."""
    book = BagLedger((kind,), session.tasks, finished_s=list(session.known_s))
    return replay_bag(tuple(session.events), tuple(session.decisions), book, sizer)
