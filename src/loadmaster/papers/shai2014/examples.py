"""The worked examples of sections 3.1 and 4.1: a few jobs on hosts of 4 cores and 32 GB, placed by our policies."""

import math
from collections.abc import Sequence

import numpy as np

from loadmaster.model import Cluster, Workload
from loadmaster.papers.claim import Claim
from loadmaster.papers.shai2014.published import MIX, SINGLE
from loadmaster.place import POLICIES
from loadmaster.scheduling import Scheduler, discipline_named
from loadmaster.sim.queue.reference import replay

Job = tuple[int, int]
"""Cores and GB that a job requests."""

HOST = (4, 32)
"""Cores and GB of each host."""
HOSTS = "AB"
FIGURE_3_1: list[Job] = [(1, 16)] * 2 + [(1, 4)] * 6
"""The queue of Figure 3.1, in priority order; Figure 4.2 has it again."""
FIGURE_3_2: list[Job] = [(1, 8)] * 3 + [(1, 32)]
"""The queue of Figure 3.2; Figure 4.3 has it again."""
FIGURE_4_1: dict[str, list[Job]] = {"A": [(1, 24)], "B": [(1, 8)] * 2, "C": [(2, 4), (1, 4)]}
"""The jobs that run on each host of Figure 4.1."""
NEW: Job = (1, 8)
"""The job that arrives in Figure 4.1."""
FIGURE_4_2: dict[str, list[Job]] = {"A": [(1, 16)], "B": []}
"""The hosts of Figure 4.2a, once the first job of its queue runs."""


def placed(policy: str, queue: Sequence[Job]) -> dict[str, list[int]]:
    """The jobs of `queue` that start at once on hosts A and B, by their number in the queue; nothing is reserved.

    Example:
        >>> placed("worse-fit-cores", FIGURE_3_2)
        {'A': [0, 2], 'B': [1]}
    """
    cores, memory = np.array(queue, dtype=float).T
    count = len(queue)
    jobs = Workload.of(submit_s=[0.0] * count, runtime_s=[1.0] * count, cores=cores, memory=memory)
    cluster = Cluster.uniform(len(HOSTS), cores=HOST[0], memory=HOST[1])
    schedule = replay(jobs, cluster, Scheduler(POLICIES[policy], discipline_named("skip")))
    return {
        name: np.flatnonzero((schedule.start_s == 0.0) & (schedule.host == h)).tolist() for h, name in enumerate(HOSTS)
    }


def angle(running: Sequence[Job], job: Job) -> float:
    """Mix-Fit's angle in degrees if `job` joined the `running` ones on a host: its score is the tangent.

    Example:
        >>> [angle(jobs, NEW) for jobs in FIGURE_4_1.values()]
        [45.0, 0.0, 45.0]
    """
    total = np.array(HOST, dtype=float)
    free = total - np.sum(running, axis=0)
    return math.degrees(math.atan(POLICIES[MIX].score(np.array(job, dtype=float), free, total)))


def smallest_angle(hosts: dict[str, list[Job]], job: Job) -> str:
    """The host on which `job` gives the smallest angle, the first among equals."""
    return min(hosts, key=lambda name: angle(hosts[name], job))


def example_claims() -> list[Claim]:
    """What the thesis says of its examples, beside what our policies do."""
    best = smallest_angle(FIGURE_4_1, NEW)
    columns = "Best-Fit-Cores, Best-Fit-Memory, Worse-Fit-Cores, Worse-Fit-Memory"
    return [
        _claim("Figure 3.1", f"of 8 jobs start: {columns}", "6, 6, 8, 8", _counts(FIGURE_3_1)),
        _claim("Figure 3.2", f"of 4 jobs start: {columns}", "4, 4, 3, 3", _counts(FIGURE_3_2)),
        _claim(
            "Figure 4.1",
            "host that Mix-Fit takes, its angle",
            "B, 0 degrees",
            f"{best}, {angle(FIGURE_4_1[best], NEW):g} degrees",
        ),
        _claim(
            "Figure 4.2",
            "host with the smaller angle for the second job of 16 GB; jobs in the end",
            "B; as under Worse-Fit",
            f"{smallest_angle(FIGURE_4_2, FIGURE_3_1[1])}; {_alike('worse-fit-cores', FIGURE_3_1)} under Worse-Fit",
        ),
        _claim(
            "Figure 4.3",
            "jobs under Mix-Fit in the end",
            "as under Best-Fit",
            f"{_alike('best-fit-cores', FIGURE_3_2)} under Best-Fit",
        ),
    ]


def _counts(queue: Sequence[Job]) -> str:
    return ", ".join(str(sum(map(len, placed(policy, queue).values()))) for policy in SINGLE)


def _alike(policy: str, queue: Sequence[Job]) -> str:
    """`as` if each host has jobs of the same requests under Mix-Fit and under `policy`, else `not as`."""
    mix, other = (
        [sorted(queue[job] for job in jobs) for jobs in placed(name, queue).values()] for name in (MIX, policy)
    )
    return "as" if mix == other else "not as"


def _claim(where: str, claim: str, published: str, ours: str) -> Claim:
    return Claim(where, claim, published, ours, "holds" if ours == published else "differs", "equal", 1)
