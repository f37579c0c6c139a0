"""Sizes and choices of the reproduction: everything that shapes its numbers and is not in the thesis."""

from dataclasses import dataclass
from typing import NamedTuple

from loadmaster.model import Cluster
from loadmaster.model.units import CORES, GB, MEMORY


class PoolShape(NamedTuple):
    """Hosts of the small pool of the bucket experiment, 512 cores in all; the thesis does not give them."""

    hosts: int
    cores: int
    memory_per_core_gb: float

    @property
    def name(self) -> str:
        """Such as 64 x 8 cores, 4 GiB a core."""
        return f"{self.hosts} x {self.cores} cores, {self.memory_per_core_gb:g} GiB a core"

    def cluster(self) -> Cluster:
        """The hosts."""
        memory = self.cores * self.memory_per_core_gb * GB
        return Cluster.uniform(self.hosts, **{CORES: self.cores, MEMORY: memory})


READINGS = (PoolShape(64, 8, 4.0), PoolShape(32, 16, 8.0))
"""The hosts that the claims are judged on, side by side: what one core in four of the published pools suggests, and
hosts on which every job of every pool fits."""
SHAPES = READINGS + tuple(
    PoolShape(512 // c, c, gb) for gb in (4.0, 8.0) for c in (4, 8, 16) if (c, gb) != (8, 4.0) and (c, gb) != (16, 8.0)
)


@dataclass(frozen=True)
class StudySetup:
    """How much is run.

    Attributes:
        seed: of the first stream.
        bucket_streams: independent streams a pool in the bucket experiment.
        bucket_part: part of the pool's jobs in each stream: ten make as many buckets as the thesis has.
        shape_streams: how many of these streams are also given to the other shapes.
        streams: independent streams a pool in the load experiment.
        scale: part of the pool's hosts in the load experiment.
        jobs: jobs of each stream there.
        longest_run_s: longer runtimes are cut to this there: the streams are shorter than a month.
        warm_up_s: jobs that arrive within so long of the first are run and not measured: the hosts are empty at first.
            After `longest_run_s` none of those that found them empty is left.
        betas: factors on the times between arrivals; 1 is the log itself.
        highest_load: offered load of the scarcer resource at the smallest factor (the thesis' own is not published).
        log_betas: factors for real logs.
        richer_streams: how many of the streams are repeated with more memory.
        richer_gb: GiB a core of the hosts in the repetition at the highest load; the main runs have 4.
    """

    seed: int = 0
    bucket_streams: int = 10
    bucket_part: float = 0.1
    shape_streams: int = 1
    streams: int = 12
    scale: float = 0.5
    jobs: int = 200_000
    longest_run_s: float = 6 * 3600.0
    warm_up_s: float = 6 * 3600.0
    betas: tuple[float, ...] = (0.58, 0.65, 0.75, 0.95, 1.0)
    highest_load: float = 0.95
    log_betas: tuple[float, ...] = (0.6, 0.7, 0.8)
    richer_streams: int = 3
    richer_gb: float = 8.0

    @classmethod
    def quick(cls, seed: int) -> "StudySetup":
        """A set for some minutes: the same experiments on the same pools, with fewer streams and loads."""
        return cls(
            seed,
            bucket_streams=6,
            bucket_part=0.01,
            streams=5,
            betas=(0.58, 1.0),
            log_betas=(0.8,),
            richer_streams=2,
        )
