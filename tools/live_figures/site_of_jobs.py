"""A Slurm whose jobs only sleep, a loadmaster beside it as a process of its own, and the load of this machine."""

import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from real_slurm import RealSlurm

PROGRAM = (sys.executable, "-c", "from loadmaster.cli import main; main()")
PLAIN = """\
SchedulerType=sched/backfill
SchedulerParameters=bf_interval=5,sched_interval=5,batch_sched_delay=1
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
MaxJobCount=20000
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""
"""Settings of a site that starts its jobs itself."""


@dataclass(frozen=True)
class Job:
    """One that runs `script`, sleeps `runs_s`, and says that it takes up to `limit_min`."""

    at_s: float
    cores: int
    memory_mb: int
    runs_s: float
    limit_min: int
    script: str = ""
    name: str = "job"

    def submit(self, slurm: RealSlurm, *more: str) -> str:
        """Its number."""
        asks = ("-n1", "-J", self.name, f"-c{self.cores}", f"--mem={self.memory_mb}", f"-t{self.limit_min}")
        text = slurm.run(
            "sbatch", "--parsable", "-o", "/dev/null", *asks, *more, "--wrap", f"{self.script}sleep {self.runs_s:.1f}"
        )
        return text.strip().partition(";")[0]


def made_jobs(count: int, span_s: float, seed: int, least_s: float, most_s: float, most_cores: int = 4) -> list[Job]:
    """Jobs that come at random over `span_s`."""
    rng = random.Random(seed)
    times = sorted(rng.uniform(0.0, span_s) for _ in range(count))
    return [
        Job(
            at_s,
            rng.randint(1, most_cores),
            rng.choice((100, 500, 1000, 2000)),
            rng.uniform(least_s, most_s),
            rng.choice((2, 5, 30)),
        )
        for at_s in times
    ]


@dataclass
class Submitting:
    """Gives jobs to a Slurm at their times, in a thread; a controller that is away is asked again.

    Attributes:
        numbers: of the jobs that were taken, in order; Slurm gives one twice where it has forgotten a job.
        names: of the same.
    """

    slurm: RealSlurm
    jobs: Sequence[Job]
    numbers: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)

    def run(self) -> None:
        """Until all have been taken, or `over`."""
        began_s = time.monotonic()
        for job in self.jobs:
            if self.over.wait(max(0.0, began_s + job.at_s - time.monotonic())):
                return
            while not self.over.is_set():
                try:
                    self.numbers.append(job.submit(self.slurm))
                    self.names.append(job.name)
                    break
                except (AssertionError, subprocess.TimeoutExpired):
                    self.over.wait(0.5)


@contextmanager
def submitting(slurm: RealSlurm, jobs: Sequence[Job]) -> Iterator[Submitting]:
    """Submit while the block runs."""
    made = Submitting(slurm, jobs)
    thread = threading.Thread(target=made.run)
    thread.start()
    try:
        yield made
    finally:
        made.over.set()
        thread.join()


def live(*words: str, log: Path, folder: Path) -> "subprocess.Popen[bytes]":
    """`loadmaster live WORDS`, its output in `log`."""
    with log.open("ab") as out:
        return subprocess.Popen(
            [*PROGRAM, "live", *words], stdout=out, stderr=out, stdin=subprocess.DEVNULL, cwd=folder
        )


def resident_mb(process: int) -> float:
    """The memory of a process that is not swapped out; NaN when it is over."""
    try:
        for line in Path(f"/proc/{process}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return float(line.split()[1]) / 1024
    except OSError:
        pass
    return float("nan")


def load() -> float:
    """Processes that run or want to, the mean of the last minute."""
    return os.getloadavg()[0]
