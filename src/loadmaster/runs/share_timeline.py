"""The timeline of a live run under CPU shares: where each task ran with what share, and why that changed."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from loadmaster.model import InputError
from loadmaster.runs.live_timeline import unended


class Span(NamedTuple):
    """Task `task` on `host` with a share of the CPU it requests, from `from_s` on until `to_s`."""

    task: str
    host: str
    share: float
    from_s: float
    to_s: float


class TaskChange(NamedTuple):
    """Something that happened to a task: `what` in a few words, and why."""

    at_s: float
    task: str
    what: str
    why: str


@dataclass(frozen=True)
class ShareTimeline:
    """Times are seconds since the record began.

    Attributes:
        engine: that was driven; method: what decided.
        command: that began the last session; ended: how it ended, empty where it has not said so.
        hosts: cores of every host, by name.
        tasks: cores that each task requests, by its name in the record.
        shown: a name for a person, where that is another one.
        spans: in the order of their beginnings.
        changes: in the order of time.
        refused: actions that were not done, by kind; texts: the engine's words with them.
        decisions: that were taken.
        last_s: of the last look that found anything new.
        over: how tasks ended, of those that did.
        goes_on: its record is being written now.
    """

    engine: str
    method: str
    command: str
    ended: str
    hosts: Mapping[str, float]
    tasks: Mapping[str, float]
    shown: Mapping[str, str]
    spans: Sequence[Span]
    changes: Sequence[TaskChange]
    refused: Counter[tuple[str, str]] = field(default_factory=Counter)
    decisions: int = 0
    last_s: float = 0.0
    over: Mapping[str, str] = field(default_factory=dict)
    goes_on: bool = False

    @property
    def unended(self) -> str:
        """What is to be said where the last session has not told its end; else empty."""
        return "" if self.ended else unended(self.goes_on)

    def named(self, word: str) -> str:
        """The task that a person calls `word`.

        Raises:
            InputError: there is none, or there are several.
        """
        from loadmaster.rules.near import near_to

        if word in self.tasks:
            return word
        tasks = [task for task, name in self.shown.items() if name == word]
        if len(tasks) > 1:
            raise InputError(word, f"{len(tasks)} tasks of this record have that name", fix=f"such as {tasks[0]}")
        if not tasks:
            names = [*self.tasks, *self.shown.values()]
            near = near_to(word, names)
            fix = (
                f"did you mean {near}?"
                if near
                else f"{len(self.tasks):,} are there, such as {names[0]}"
                if names
                else ""
            )
            raise InputError(word, "no such task in this record", fix=fix or "let it run longer")
        return tasks[0]

    def name_of(self, task: str) -> str:
        """What a person calls it."""
        return self.shown.get(task, task)

    def figures(self, task: str) -> dict[str, Any]:
        """Of one task: where it is or was last, its share now and on average, how often it moved and was capped."""
        spans = [span for span in self.spans if span.task == task]
        length_s = sum(span.to_s - span.from_s for span in spans)
        mean = sum(span.share * (span.to_s - span.from_s) for span in spans) / length_s if length_s else None
        counts = Counter(change.what.split()[0] for change in self.changes if change.task == task)
        last = spans[-1] if spans else None
        return {
            "task": task,
            "name": self.name_of(task),
            "cores": self.tasks[task],
            "host": None if last is None else last.host,
            "share": None if last is None else last.share,
            "mean_share": mean,
            "ran_s": length_s,
            "moves": counts["moved"],
            "caps": counts["capped"],
            "how": self.over.get(task, "never started" if last is None else "runs"),
        }


@dataclass
class TimelineBuilder:
    """Puts a course together, look by look."""

    spans: list[Span] = field(default_factory=list)
    changes: list[TaskChange] = field(default_factory=list)
    refused: Counter[tuple[str, str]] = field(default_factory=Counter)
    tasks: dict[str, float] = field(default_factory=dict)
    over: dict[str, str] = field(default_factory=dict)
    decisions: int = 0
    last_s: float = 0.0
    origin_s: float = 0.0
    _open: dict[str, tuple[str, float, float]] = field(default_factory=dict)

    def now(self, at_s: float, there: Mapping[str, tuple[str, float]]) -> None:
        """From `at_s` on these tasks run, each on a host with a share."""
        self.last_s = max(self.last_s, at_s)
        for task in [task for task, (host, share, _) in self._open.items() if there.get(task) != (host, share)]:
            self._close(task, at_s)
        for task, (host, share) in there.items():
            self._open.setdefault(task, (host, share, at_s))

    def ended(self, task: str, at_s: float) -> None:
        """It has not run since then, whenever that was seen."""
        if task in self._open:
            self._close(task, at_s)

    def say(self, at_s: float, task: str, what: str, why: str) -> None:
        """A change."""
        self.changes.append(TaskChange(at_s, task, what, why))

    def refuse(self, at_s: float, task: str, what: str, kind: str, text: str) -> None:
        """An action `what` that was not done: the kind of refusal, and the engine's words."""
        self.refused[kind, text] += 1
        self.say(at_s, task, f"{what} refused", text or kind)

    def timeline(
        self, about: Mapping[str, Any], method: str, ended: str, hosts: Mapping[str, float], shown: Mapping[str, str]
    ) -> ShareTimeline:
        """All of it; spans that go on do so until the last look.

        Args:
            about: the line with which the last session began.
            method: what decided.
            ended: how the session ended, empty where it has not said so.
            hosts: cores of every host, by name.
            shown: a name for a person, where that is another one.
        """
        for task in list(self._open):
            self._close(task, self.last_s)
        return ShareTimeline(
            str(about.get("engine", "")),
            method,
            str(about.get("command", "")),
            ended,
            hosts,
            self.tasks,
            shown,
            sorted(self.spans, key=lambda span: (span.from_s, span.task)),
            self.changes,
            self.refused,
            self.decisions,
            self.last_s,
            self.over,
        )

    def _close(self, task: str, at_s: float) -> None:
        host, share, from_s = self._open.pop(task)
        if at_s > from_s:
            self.spans.append(Span(task, host, share, from_s, at_s))
