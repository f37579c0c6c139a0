"""The timeline of a live run as tables and pages show it, read from its record without running its rules."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from loadmaster.runs.interim_waits import InterimWaits

ROOM, STRANDED, FULL, DOWN = "room for a typical job", "stranded", "full", "not up"
KINDS = (ROOM, STRANDED, FULL, DOWN)
"""What a host is to a typical job, which asks the median of everything: it fits; or finds enough of one thing and too
little of another; or of nothing; or the host takes no jobs."""


class JobStart(NamedTuple):
    """A job that began to run: `at_s` since the origin, after `wait_s`."""

    at_s: float
    wait_s: float


class CycleCounts(NamedTuple):
    """A cycle: jobs that waited, ran, and were requested and did not run yet; starts that were decided."""

    at_s: float
    waiting: int
    running: int
    asked: int
    starts: int


class CycleAgreement(NamedTuple):
    """A shadow's cycle: starts of the site by whether ours were the same in it, and all of ours that were new."""

    at_s: float
    same_hosts: int
    same_job: int
    site_only: int
    ours: int


class MetaChoice(NamedTuple):
    """A choice of a meta-rule: the member that it followed, and whether its members were not worth the same."""

    at_s: float
    member: str
    differed: bool
    best: tuple[str, ...]


class ObservedHost(NamedTuple):
    """A host as it was seen last: `free` and `capacity` by resource; `kind` is one of `KINDS`."""

    name: str
    free: Sequence[float]
    capacity: Sequence[float]
    kind: str


class StrandedPart(NamedTuple):
    """One resource of one host.

    Attributes:
        site: the part of it that was stranded after the site's starts of each cycle, averaged over time.
        ours: the same after ours; a job counts in the cycles only in which we would have started it.
    """

    host: str
    resource: str
    site: float
    ours: float


def unended(goes_on: bool) -> str:
    """What is said of a run whose last session has not told its end, by whether its record is being written."""
    return (
        "It goes on: this is what it had come to by now" if goes_on else "Its loop died, and did not say how it ended"
    )


@dataclass(frozen=True)
class Session:
    """One start of the loop.

    Attributes:
        at_s: since the origin.
        mode: `live`, `shadow` or `dry-run`.
        ended: how, empty where it did not say so: it runs on, or died.
        setting: of the rule, as `Setting.plain` writes it.
        conduct: as it was told to behave.
        config: the file of options, as the record has it; empty where there was none.
    """

    at_s: float
    mode: str
    engine: str
    command: str
    setting: Mapping[str, Any]
    conduct: Mapping[str, Any]
    ended: str = ""
    config: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class LiveTimeline:
    """Times are seconds since the record's origin.

    Attributes:
        sessions: in order, at least one.
        last_s: of the end, or of the last cycle in which anything changed where it has not ended.
        counted: by cycle, of those in which anything changed.
        jobs: how many were seen.
        began: of every job that was seen to run, or ended after we had requested it, the first time that it did.
        by_others: of those, how many had not been requested by us.
        unseen: jobs besides those that came and ended between two observations.
        waiting_s: of every job that waits at the end, for how long it has.
        refused: when, and of which kind; texts: the engine's words for them, with how often.
        refused_jobs: jobs whose start was refused, and that are there at the end without having run.
        skipped: when no decision was taken, and why.
        choices: of a meta-rule.
        hosts, hosts_at_s: as seen last while a job waited; at the end, where none ever did.
        resources, typical: what a typical job requests, resource by resource.
        agreed, agreement, stranded: of a shadow; see `live.queue.agreement` and `live.queue.stranded_capacity`.
        so_far: of a shadow, what its jobs had waited so far, each time that it was reckoned.
        left_out: jobs that were not decided on at the end, by reason.
        goes_on: its record is being written now.
    """

    sessions: Sequence[Session]
    last_s: float
    counted: Sequence[CycleCounts]
    jobs: int
    began: Sequence[JobStart]
    by_others: int
    unseen: int
    waiting_s: Sequence[float]
    refused: Sequence[tuple[float, str]]
    texts: Counter[tuple[str, str]]
    skipped: Sequence[tuple[float, str]]
    choices: Sequence[MetaChoice]
    hosts: Sequence[ObservedHost]
    hosts_at_s: float
    resources: Sequence[str]
    typical: Sequence[float]
    agreed: Sequence[CycleAgreement] = ()
    agreement: Mapping[str, Any] = field(default_factory=dict)
    stranded: Sequence[StrandedPart] = ()
    so_far: Sequence[InterimWaits] = ()
    left_out: Mapping[str, int] = field(default_factory=dict)
    goes_on: bool = False
    refused_jobs: Sequence[str] = ()

    @property
    def since(self) -> str:
        """What time is counted from: jobs that wait as a record begins may have come long before."""
        early = self.counted[0].at_s >= 2 * float(self.sessions[0].conduct["interval_s"])
        return "the first of its jobs came" if early else "the record began"

    @property
    def unended(self) -> str:
        """What is to be said where the last session has not told its end; else empty."""
        return "" if self.sessions[-1].ended else unended(self.goes_on)

    @property
    def acts(self) -> bool:
        """Whether the last session asked the engine for anything."""
        return self.sessions[-1].mode == "live"

    @property
    def refusals(self) -> Counter[str]:
        """By kind."""
        return Counter(kind for _, kind in self.refused)
