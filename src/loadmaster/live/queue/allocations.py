"""The hosts of one job, running or reserved; what a decision leaves for the next, and what an observation changes."""

import math
from dataclasses import dataclass, field

from loadmaster.model.snapshot import NextLoops

FOREIGN = "foreign"
ADOPTED = "adopted"
OURS = "ours"
ROOM = "room"


@dataclass
class Allocation:
    """One job's hosts, by their names.

    Attributes:
        hosts: one for each task.
        start_s: when we decided it; of a job that others started, its best known start.
        expected_end_s: `start_s` plus the runtime to count on.
        partition: in which it was started.
        by: `OURS`, `ADOPTED` (a pin that we found as we began), `ROOM` (we requested it beside the rule, as room had
            been made for it, or it is such a room) or `FOREIGN`.
        sent_s: when the engine was asked last, in nominal cycles.
        running: the engine has shown that it runs.
        tries: how often the engine was asked again.
    """

    hosts: tuple[str, ...]
    start_s: float
    expected_end_s: float
    partition: int
    by: str = OURS
    sent_s: float = 0.0
    running: bool = False
    tries: int = 0


@dataclass
class Carryover:
    """What a decision leaves for the next, by names of jobs and hosts."""

    last_host: str = ""
    promises: dict[str, tuple[float, tuple[str, ...]]] = field(default_factory=dict)
    wake_s: float = math.inf
    clock: NextLoops = field(default_factory=NextLoops)


@dataclass
class ObservedChanges:
    """What an observation has changed, by the names of jobs.

    Attributes:
        restarted: the engine has been restarted since the last.
        jobs: jobs have come or gone, or what one of them is has changed.
        hosts: hosts have come or gone, or their health or what the calendar closes has changed.
        arrived: in the order of arrival.
        ended: (job, when, how) of jobs that had hosts, in the order of time.
        withdrawn: left without having started.
        lost: left when the engine was restarted, and it does not say why.
        stopped: (job, whether it ran) of jobs that have lost their hosts and wait again.
        found: jobs that run or have been released without a decision that we know of.
        moved: run elsewhere than we decided.
        released: by another program or person, without a pin: the engine's own scheduler has them.
    """

    restarted: bool = False
    jobs: bool = False
    hosts: bool = False
    arrived: list[str] = field(default_factory=list)
    ended: list[tuple[str, float, str]] = field(default_factory=list)
    withdrawn: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    stopped: list[tuple[str, bool]] = field(default_factory=list)
    found: list[tuple[str, Allocation]] = field(default_factory=list)
    moved: list[str] = field(default_factory=list)
    released: list[str] = field(default_factory=list)
