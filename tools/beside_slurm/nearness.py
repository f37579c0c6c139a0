"""Two records of the same jobs beside each other: who started before whom, how long each waited, on which hosts."""

import csv
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from loadmaster.model import CalendarRow, Cluster
from loadmaster.model.host_names import host_names
from loadmaster.runs import Setting, case_of, run_fully
from loadmaster.runs.site_case import site_case
from loadmaster.traces import read_trace


@dataclass(frozen=True)
class Seen:
    """What became of the jobs, by name: when each came and started, and its hosts."""

    submit_s: dict[str, float]
    start_s: dict[str, float]
    hosts: dict[str, tuple[str, ...]]


@dataclass(frozen=True)
class Difference:
    """How far two records of the same jobs are apart.

    Attributes:
        pairs: of all pairs of jobs that started at different moments in the first, the share in the same order.
        mean_wait_s: of the first and of the second.
        mean_apart_s, median_apart_s: how far the waits of one job are apart.
        hosts: the share of the jobs with the same hosts.
    """

    jobs: int
    pairs: float
    mean_wait_s: tuple[float, float]
    mean_apart_s: float
    median_apart_s: float
    hosts: float

    def __str__(self) -> str:
        first, second = self.mean_wait_s
        return (
            f"{self.jobs} jobs: {self.pairs:.1%} of the pairs start in the same order; mean waits {first:.1f} s and "
            f"{second:.1f} s; a job's waits are {self.mean_apart_s:.1f} s apart (median {self.median_apart_s:.1f} s); "
            f"{self.hosts:.0%} have the same hosts"
        )


def recorded(folder: Path) -> Seen:
    """What a real Slurm did, from its log."""
    rows = list(csv.DictReader((folder / "log.sacct").read_text().splitlines(), delimiter="|"))
    zero = min(int(row["Submit"]) for row in rows)
    return Seen(
        {row["JobName"]: float(int(row["Submit"]) - zero) for row in rows},
        {row["JobName"]: float(int(row["Start"]) - zero) for row in rows},
        {row["JobName"]: host_names(row["NodeList"]) for row in rows},
    )


def modelled(folder: Path) -> Seen:
    """What `--site` makes of the same jobs."""
    at = site_case(folder / "slurm.conf", folder / "accounts.txt")
    rows = list(csv.DictReader((folder / "log.sacct").read_text().splitlines(), delimiter="|"))
    cluster = with_reservations(at.cluster, folder / "reservations.txt", min(int(row["Submit"]) for row in rows))
    case = case_of(at.jobs_of(read_trace(folder / "log.sacct")), cluster, "asked")
    _, schedule, _ = run_fully(case, Setting(at.policy, "site", interval_s=0.0, site=at.discipline), {})
    name = {int(row["JobID"]): row["JobName"] for row in rows}
    first, jobs = case.workload.first_task, range(case.workload.jobs)
    names = [name[case.workload.id_of(job)] for job in jobs]
    hosts = [sorted({case.cluster.name(int(h)) for h in schedule.host[first[job] : first[job + 1]]}) for job in jobs]
    return Seen(
        dict(zip(names, case.workload.submit_s.tolist(), strict=True)),
        dict(zip(names, schedule.start_s.tolist(), strict=True)),
        dict(zip(names, map(tuple, hosts), strict=True)),
    )


def with_reservations(cluster: Cluster, path: Path, zero: int) -> Cluster:
    """The cluster with the reservations that `scontrol show reservation -o` wrote; times from `zero` on."""
    if not path.exists():
        return cluster
    assert cluster.rules is not None
    numbers = {name: host for host, name in enumerate(cluster.names or ())}
    calendar = []
    for line in path.read_text().splitlines():
        told = dict(word.partition("=")[::2] for word in line.split())
        hosts = tuple(numbers[name] for name in host_names(told["Nodes"]))
        users = tuple(told["Users"].split(","))
        from_s, to_s = (float(int(told[key]) - zero) for key in ("StartTime", "EndTime"))
        calendar.append(CalendarRow(from_s, to_s, "reserved", hosts, told["ReservationName"], users))
    return replace(cluster, rules=replace(cluster.rules, calendar=tuple(calendar)))


def apart(first: Seen, second: Seen) -> Difference:
    """How far the second is from the first."""
    names = sorted(first.start_s)
    starts = np.array([[seen.start_s[name] for name in names] for seen in (first, second)])
    waits = starts - np.array([[seen.submit_s[name] for name in names] for seen in (first, second)])
    before = np.sign(starts[:, :, None] - starts[:, None, :])
    differ = np.triu(before[0] != 0, 1)
    same = (before[0] == before[1]) & differ
    distance = np.abs(waits[0] - waits[1])
    alike = [set(first.hosts[name]) == set(second.hosts[name]) for name in names]
    return Difference(
        len(names),
        float(same.sum() / max(differ.sum(), 1)),
        (float(waits[0].mean()), float(waits[1].mean())),
        float(distance.mean()),
        float(np.median(distance)),
        float(np.mean(alike)),
    )
