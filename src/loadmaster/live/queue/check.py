"""Whether a live run did what simulations do: every recorded decision taken again, and the whole run simulated.

The first shows that decisions depend on nothing but what was written down. The second drives the simulator's own queue
with what happened (which jobs came and ended, which hosts failed, what the engine refused) and compares the starts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from loadmaster.live.queue.record import FILE, Pass, RecordReader, ledger_after, lines_of, passes_of, starts_on
from loadmaster.live.queue.rows import as_asked
from loadmaster.live.queue.settings import fallback_scheduler
from loadmaster.live.queue.shadow_replay import ShadowReplay
from loadmaster.model import InputError
from loadmaster.model.actions import Start
from loadmaster.runs.setting import Setting, discipline_of, policy_of
from loadmaster.runs.trust import refuse_untrusted
from loadmaster.scheduling import Scheduler
from loadmaster.system.counted import counted


@dataclass
class CheckReport:
    """What came out.

    Attributes:
        passes: decisions in the record; same_passes: of these, taken again alike.
        starts: decided in the record or in its simulation, whatever the engine made of them; same_starts: in both in
            the same cycle and on the same hosts.
        jobs: that the starts of the record are of.
        first: the first difference, in words.
        notes: what the simulation cannot know, a sentence each.
    """

    passes: int = 0
    same_passes: int = 0
    starts: int = 0
    same_starts: int = 0
    jobs: int = 0
    first: str = ""
    notes: list[str] = field(default_factory=list)

    @property
    def same(self) -> bool:
        """Everything is equal."""
        return self.passes == self.same_passes and self.starts == self.same_starts


def check_live(folder: Path, scheduler: Scheduler | None = None, *, trust: bool = False) -> CheckReport:
    """Check the record in `folder`.

    Args:
        folder: of the record.
        scheduler: what decided; None takes it from the record.
        trust: run the Python of a policy file that the record carries.

    Raises:
        InputError: there is no record, or it carries Python and is not trusted.
    """
    lines = lines_of(folder)
    checked = CheckReport()
    rows = rows_of(lines)
    for number, session in enumerate(_sessions(lines)):
        about = session[0]
        decider = scheduler or scheduler_in(about, folder, trust)
        earlier = [line for one in _sessions(lines)[:number] for line in one]
        reading = ledger_after(earlier, decider.discipline.order, about["origin_s"], about["seed"])
        _Session(reading, decider, about, checked).check(session, rows)
    names = [start.id for line in lines for each in passes_of(line) for start in each.starts]
    checked.jobs = len(set(names))
    if len(names) > checked.jobs:
        checked.notes.append(
            f"The {len(names):,} starts of the record are of {counted(checked.jobs, 'job')}: the start of a job is "
            "decided again after a refusal, after the engine did not answer or lost it, and in a shadow until the site "
            "starts it."
        )
    return checked


def scheduler_in(about: Mapping[str, Any], folder: Path, trust: bool = False) -> Scheduler:
    """The scheduler that a session's first line names.

    Raises:
        InputError: it was given as an object that no line can hold, or carries Python and is not trusted.
    """
    if "setting" not in about:
        raise InputError(folder, "this record does not say which rules decided", fix="give them to check_live")
    setting, sources = Setting.of(about["setting"]), about["sources"]
    refuse_untrusted(setting, trust, f"the first line of {FILE}")
    return Scheduler(policy_of(setting, sources), discipline_of(setting, sources))


def rows_of(lines: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Every job of a record by name, as it was last seen; what it waited for as it was first seen."""
    reading = RecordReader.of(lines)  # no order changes what a job is
    rows: dict[str, Any] = {}
    last: dict[str, Any] = {}
    for line in lines:
        reading.read_whole(line)
        for name, row in reading.ledger.rows.items():
            if last.get(name) is not row:
                before = rows.get(name)
                rows[name] = as_asked(before, row, reading.ledger.now_s)
                if before is not None and "eligible_s" in before:  # `ShadowReplay` holds such jobs back
                    rows[name]["eligible_s"] = min(before["eligible_s"], rows[name]["eligible_s"])
                last[name] = row
    return rows


class _Session:
    """One session of the record, decided and simulated side by side."""

    def __init__(
        self, reading: RecordReader, scheduler: Scheduler, about: Mapping[str, Any], checked: CheckReport
    ) -> None:
        self.reading, self.scheduler, self.about, self.checked = reading, scheduler, about, checked
        self.replay: ShadowReplay | None = None

    def check(self, lines: Sequence[Mapping[str, Any]], rows: Mapping[str, Any]) -> None:
        """All lines of the session."""
        for line in lines:
            changes = self.reading.read(line)
            ledger = self.reading.ledger
            if self.replay is None and changes is not None:
                self.replay = ShadowReplay(
                    rows, ledger, self.scheduler, self.about["conduct"]["interval_s"], self.about["seed"]
                )
                self.replay.adopt(ledger)
            elif self.replay is not None and changes is not None:
                self.replay.observe(changes, ledger)
            elif self.replay is not None:
                self.replay.give_up(ledger)
            for each in passes_of(line):
                self._pass(line, each)
            self.reading.after(line)
        if self.replay is not None:
            self.checked.notes += [note for note in self.replay.notes if note not in self.checked.notes]

    def _pass(self, line: Mapping[str, Any], each: Pass) -> None:
        rule = self.scheduler
        if line["by"] == "fallback":
            rule = fallback_scheduler(self.about["conduct"]["fallback"])
        again = self._again(rule, line, each)
        self.checked.passes += 1
        self.checked.same_passes += again
        assert self.replay is not None
        simulated = self.replay.decided(rule, each, line)
        recorded = set(each.starts)
        self.checked.starts += len(recorded | set(simulated))
        self.checked.same_starts += len(recorded & set(simulated))
        if not self.checked.first and (not again or recorded != set(simulated)):
            self.checked.first = _difference(line["cycle"], each.starts, simulated, again)
        self.reading.take(line, each)

    def _again(self, rule: Scheduler, line: Mapping[str, Any], each: Pass) -> bool:
        """Whether the recorded snapshot gives the same decision once more."""
        ledger = self.reading.ledger
        snapshot = ledger.snapshot(ranked=line["by"] == "rule")
        if snapshot is None:
            return False
        decision = rule.decide(snapshot)
        places = decision.place[: len(each.starts)] if line["cut"] else decision.place
        starts = starts_on(places, ledger.waiting.ids, snapshot.cluster)
        chose = (decision.winners, decision.chosen, decision.options) == (each.winners, each.chosen, each.options)
        return starts == each.starts and chose and ledger.carry(decision) == each.carried


def _sessions(lines: Sequence[Mapping[str, Any]]) -> list[list[Mapping[str, Any]]]:
    sessions: list[list[Mapping[str, Any]]] = []
    for line in lines:
        if "begin" in line:
            sessions.append([])
        sessions[-1].append(line)
    return sessions


def _difference(now_s: float, recorded: Sequence[Start], simulated: Sequence[Start], again: bool) -> str:
    if not again:
        return f"cycle {now_s:g}: the recorded snapshot gives another decision now"
    only = [start for start in (*recorded, *simulated) if (start in recorded) != (start in simulated)]
    where = "the record" if only[0] in recorded else "the simulation"
    return f"cycle {now_s:g}: only in {where} job {only[0].id} starts on {', '.join(only[0].hosts)}"
