"""What is published of the four NetBatch pools, and what had to be assumed; one place for every constant."""

from dataclasses import dataclass
from typing import NamedTuple

MONTH_S = 30 * 86400.0
"""The logs span thirty days."""


class Bursts(NamedTuple):
    """Episodes in which one user requests something else than usual: a two-state Markov chain over blocks of jobs.

    Attributes:
        part: the part of the time spent in episodes.
        blocks: their mean length in blocks of 1,000 jobs.
        share: the part of an episode's jobs that are of the burst, drawn between these two for each episode; the
            square of an even draw, so that mild episodes are many and strong ones few.
        amounts: what those jobs request, with probabilities, drawn for each submission.
    """

    part: float
    blocks: float
    share: tuple[float, float]
    amounts: dict[float, float]


NONE = Bursts(0.0, 1.0, (0.0, 0.0), {1.0: 1.0})


@dataclass(frozen=True)
class Pool:
    """One pool.

    Attributes:
        jobs: published (Shai 2014, Table 2.1), as are users, hosts and host_cores.
        users: number of users.
        hosts: number of machines.
        host_cores: cores of all machines together.
        cores: cores of a job outside of bursts, with probabilities. Published for D only; assumed from Figure 3.3.
        core_bursts: assumed from Figure 3.3.
        memory_bursts: GiB; assumed from Figure 3.4.
        low_memory: periods of small demands, seen in D (Figure 3.4).
        months_load: the offered load at which the log lasts thirty days; it scales the runtimes. D's is computed from
            its published runtimes and cores; the others' are not published and taken as 0.85.
    """

    jobs: int
    users: int
    hosts: int
    host_cores: int
    cores: dict[float, float]
    core_bursts: Bursts
    memory_bursts: Bursts
    low_memory: Bursts = NONE
    months_load: float = 0.85


MEMORY_GIB = {0.5: 0.10, 1.0: 0.22, 2.0: 0.30, 3.0: 0.08, 4.0: 0.20, 6.0: 0.04, 8.0: 0.05, 16.0: 0.008, 32.0: 0.002}
"""Memory of a job outside of bursts: mostly 8 GB and below (Figure 2.2), most below 5 GB (Shai, slides of 2013)."""

LOW_GIB = {0.5: 0.6, 1.0: 0.4}

POOLS = {
    "A": Pool(
        13_368_191, 1_104, 1_633, 16_588,
        cores={1.0: 0.97, 2.0: 0.018, 4.0: 0.010, 8.0: 0.002},
        core_bursts=Bursts(0.08, 6, (0.1, 0.7), {2.0: 0.4, 4.0: 0.4, 8.0: 0.2}),
        memory_bursts=Bursts(0.10, 8, (0.3, 0.9), {16.0: 0.4, 24.0: 0.3, 32.0: 0.2, 48.0: 0.1}),
    ),
    "B": Pool(
        13_085_800, 1_615, 3_115, 33_300,
        cores={1.0: 0.98, 2.0: 0.013, 4.0: 0.006, 8.0: 0.001},
        core_bursts=Bursts(0.02, 4, (0.1, 0.35), {2.0: 0.5, 4.0: 0.5}),
        memory_bursts=Bursts(0.18, 5, (0.3, 0.8), {16.0: 0.7, 24.0: 0.3}),
    ),
    "C": Pool(
        13_313_793, 1_146, 1_499, 18_816,
        cores={1.0: 0.88, 2.0: 0.09, 4.0: 0.027, 8.0: 0.003},
        core_bursts=Bursts(0.30, 4, (0.02, 0.10), {2.0: 0.6, 4.0: 0.4}),
        memory_bursts=Bursts(0.50, 3, (0.05, 0.20), {8.0: 0.5, 12.0: 0.3, 16.0: 0.2}),
    ),
    "D": Pool(
        9_054_066, 862, 2_692, 40_372,
        cores={1.0: 9_046_299 / 9_054_066, 2.0: 7_615 / 9_054_066, 4.0: 124 / 9_054_066, 8.0: 28 / 9_054_066},
        core_bursts=NONE,
        memory_bursts=Bursts(0.10, 6, (0.3, 0.8), {16.0: 0.6, 24.0: 0.3, 32.0: 0.1}),
        low_memory=Bursts(0.20, 12, (0.6, 0.95), LOW_GIB),
        months_load=0.60,
    ),
}  # fmt: skip

RUNTIMES = (
    (0.0, 1.0), (0.033, 1.0), (0.05, 3.0), (0.10, 8.0), (0.25, 36.0), (0.50, 486.0), (0.75, 3_312.0), (0.90, 14_814.0),
    (0.95, 28_595.0), (0.98, 45_770.0), (0.99, 93_481.9), (0.997, 276_490.0), (0.999, 476_256.6), (0.9995, 545_000.0),
    (0.9999, 863_368.0), (0.99999, 1_000_000.0), (1.0, 2_399_482.0),
)  # fmt: skip
"""Quantiles of the runtime in seconds of pool D's serial jobs that ran (published audit of the log in SWF). Those at
0.98, 0.997, 0.9995 and 0.99999 are not published: chosen so that the longest 5, 1 and 0.1 percent of the jobs have the
published parts of the work (0.629, 0.372, 0.093); the mean then is 6,930 s, published 6,875."""

JOBS_OF_USER = ((0.0, 1.0), (0.5, 903.0), (0.9, 15_312.0), (0.99, 125_614.0), (1.0, 1_670_714.0))
"""Quantiles of the number of jobs a user submits (same audit)."""

PROJECTS = (0.264, 0.135, 0.104, 0.082, 0.081, 0.079, *((1.0 - 0.745) / 14,) * 14)
"""Parts of the jobs that belong to each of pool D's twenty groups; the last fourteen taken as equal."""

DAY = (
    4.8, 4.9, 4.2, 4.1, 4.2, 4.8, 4.5, 4.7, 3.4, 3.0, 3.0, 3.2,
    3.3, 3.4, 3.6, 3.7, 3.7, 4.1, 5.0, 5.3, 4.6, 4.9, 5.0, 4.7,
)  # fmt: skip
"""Percent of pool D's arrivals in each hour of the day, from the start of the log (same audit)."""

HOUR_SIGMA = 0.757
"""Spread of the log of hourly arrivals around the day's profile: gives the audit's index of dispersion, 9,789 at a mean
of 11,724 an hour, and a largest hour of seven times the mean (85,397)."""
MINUTE_SIGMA = 0.404
"""The same for minutes within their hour: index of dispersion 227 at a mean of 195, the largest 22 times the mean."""

BY_USER, BY_SUBMISSION = 0.78, 0.06
"""Parts of the variance of the scores behind the runtimes that lie between users and between submissions, set so that
of the variance of the log of runtimes about 0.6 lies between users, as the audit finds (0.61)."""
SUBMISSION_JOBS = 8.0
"""Mean number of equal jobs submitted together; assumed."""
LARGEST_SUBMISSION = 100
"""No larger, so that a bucket of 1,000 jobs is never made by a few submissions alone; assumed."""
BLOCK_JOBS = 1_000
"""Jobs in a block: the buckets of section 3.2. Fewer in a smaller pool, so that an episode lasts as long as there."""
FEWEST_BLOCK_JOBS = 50
BURST_SCORE = 0.4
"""Score behind the runtimes of a burst, in place of its user's: bursts are neither of the shortest nor of the longest
jobs, so that work comes as evenly as the audit finds (the largest hour seven times the mean); assumed."""
HOST_SIZES = (8, 12, 16)
"""Cores of the hosts; the pools' own are not published."""
