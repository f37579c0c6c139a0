"""Jobs for a real Slurm: made by a seed, submitted at their moments, read back when all have ended."""

import random
import time
from dataclasses import dataclass, replace

from real_slurm import RealSlurm
from settings import Set

FIELDS = (
    "JobID,JobName,User,Account,Partition,QOS,Submit,Eligible,Start,End,Elapsed,State,ReqCPUS,NNodes,ReqMem,ReqTRES,"
    "AllocTRES,Timelimit,NodeList,Priority,Reason,Reservation,SubmitLine"
)

FIRST = "first"
"""Name of the job before all others."""


@dataclass(frozen=True)
class Asked:
    """One job: when it comes, what it requests, how long it runs."""

    at_s: float
    hosts: int
    cpus: int
    memory_mib: int
    limit_min: int
    runtime_s: int
    account: str
    partition: str
    qos: str
    reservation: str = ""

    def command(self, name: str) -> list[str]:
        """How it is submitted; `cpus` on each of its hosts."""
        return [
            "sbatch",
            "--parsable",
            f"--job-name={name}",
            f"--nodes={self.hosts}",
            f"--ntasks={self.hosts}",
            "--ntasks-per-node=1",
            f"--cpus-per-task={self.cpus}",
            f"--mem={self.memory_mib}",
            f"--time={self.limit_min}",
            f"--account={self.account}",
            f"--partition={self.partition}",
            f"--qos={self.qos}",
            *([f"--reservation={self.reservation}"] if self.reservation else []),
            "--output=/dev/null",
            f"--wrap=sleep {self.runtime_s}",
        ]


def made(count: int, seed: int, span_s: float, given: Set) -> list[Asked]:
    """`count` jobs over `span_s` seconds: more work than the hosts of `given` can do in that time."""
    draw = random.Random(seed)
    moments = sorted(draw.uniform(0.0, span_s) for _ in range(count))
    return [_one(draw, at_s, given) for at_s in moments]


def _one(draw: random.Random, at_s: float, given: Set) -> Asked:
    hosts = draw.choice(given.wide)
    partition = draw.choice(("main", "main", "short"))
    limit = draw.choice((1, 1, 2)) if partition == "short" else draw.choice((1, 2, 3, 5))
    cpus, memory = draw.choice((1, 2, 2, 4, 8) if hosts == 1 else (2, 4)), draw.choice((500, 2000, 4000))
    job = Asked(
        at_s,
        hosts,
        cpus,
        memory,
        limit,
        draw.randint(4, 30),
        draw.choice(("phys", "phys", "chem", "bio")),
        partition,
        draw.choice(given.qualities),
    )
    if job.qos == "low":
        job = replace(job, cpus=min(cpus, 2))  # more than that on three hosts its limit never lets run
    if given.reservation and partition == "main" and hosts < 3 and job.limit_min == 1 and draw.random() < 0.5:
        return replace(job, reservation=name_in(given.reservation))
    return job


def name_in(reservation: str) -> str:
    """The name in `ReservationName=NAME ...`.

    Example:
        >>> name_in("ReservationName=kept StartTime=now")
        'kept'
    """
    return reservation.split()[0].partition("=")[2]


def submit(slurm: RealSlurm, jobs: list[Asked], reservation: str = "") -> str:
    """Each at its moment, one after the other; before them one that shows that all is up, of which nothing is kept.

    Returns:
        What Slurm says of the reservation, if there is one.
    """
    slurm.run("sbatch", "--wait", f"--job-name={FIRST}", "--account=root", "--output=/dev/null", "--wrap=true")
    if reservation:
        slurm.run("scontrol", "create", "reservation", *reservation.split())
    reserved = slurm.run("scontrol", "show", "reservation", "-o") if reservation else ""
    began = time.monotonic()
    for number, job in enumerate(jobs):
        time.sleep(max(0.0, began + job.at_s - time.monotonic()))
        slurm.run(*job.command(f"job{number}"))
    return reserved


def recorded(slurm: RealSlurm, patience_s: float = 600.0) -> str:
    """What `sacct` says of all jobs once the queue is empty."""
    until = time.monotonic() + patience_s
    while slurm.run("squeue", "-h", "-o", "%i").strip():
        if time.monotonic() > until:
            raise TimeoutError("jobs are left in the queue")
        time.sleep(0.5)
    time.sleep(2.0)  # the last ends are on their way to the database
    lines = slurm.run("sacct", "-X", "-P", "-S", "now-1day", f"--format={FIELDS}").splitlines(keepends=True)
    return "".join(line for line in lines if f"|{FIRST}|" not in line)
