"""From Slurm's listings to an observation: hosts, jobs, tasks, and what is left out and why."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from loadmaster.live.session.engine import CLAIMED, ENDING, HELD, NOWHERE, RUNNING, EndedJob, Observation, ObservedTasks
from loadmaster.live.slurm.array_limits import Throttles
from loadmaster.live.slurm.host_parts import HostPart
from loadmaster.live.slurm.listing import ListedJob
from loadmaster.live.slurm.names import SlurmNames
from loadmaster.live.slurm.open_dependencies import KnownEnds
from loadmaster.live.slurm.work import (
    ENDED,
    KEEPS_HOSTS,
    UNFIT,
    SlurmJob,
    is_over,
    limit_s,
    state_of,
    with_all_memory,
    work_of,
)
from loadmaster.model import CalendarRow, Cluster, Constraints, InputError, Workload
from loadmaster.model.awaited_jobs import Awaits
from loadmaster.model.constraints import EXCLUSIVE
from loadmaster.model.host_names import host_names
from loadmaster.model.name_column import Named
from loadmaster.model.units import CORES, GPUS, MEMORY
from loadmaster.model.whole_hosts import hold_whole_hosts
from loadmaster.site.accounts import Accounts
from loadmaster.site.gpu_models import feature_by_model, gpu_counts
from loadmaster.site.node import SiteNode
from loadmaster.site.rules import cluster_of
from loadmaster.site.scontrol_reservations import Reservation, shown_records
from loadmaster.site.site import Site

Detail = Callable[[str, str], dict[str, HostPart]]
"""Of a running job (id, start): by host, what it has there."""
_WHOLE = EXCLUSIVE.index("host")


@dataclass(frozen=True)
class SlurmListings:
    """What Slurm said at one moment."""

    at_s: float
    rows: list[ListedJob]
    nodes: tuple[SiteNode, ...]
    states: dict[str, str]
    reservations: list[Reservation]
    token: str = ""


def parse_states(text: str) -> dict[str, str]:
    """The state of every partition that `scontrol -o show partition` prints, in lower case."""
    return {pairs["PartitionName"]: pairs.get("State", "UP").lower() for pairs in shown_records(text, "PartitionName")}


class SlurmObserver:
    """Makes observations of listings; remembers numbers of users and accounts, and how jobs ended.

    Args:
        site: the configuration: partitions and what is counted.
        accounts: what only the accounting database knows, where it is to be had.
        looks_on: all that waits counts as held for us.
        detail: requests the cores of a running job host by host.
        partitions: only jobs that wait in these are ours; () for all.
    """

    def __init__(
        self, site: Site, accounts: Accounts | None, detail: Detail, *, looks_on: bool, partitions: Sequence[str] = ()
    ) -> None:
        self._site = site
        self._accounts = accounts
        self._detail = detail
        self._partitions = set(partitions)
        self.notes: tuple[str, ...] = cluster_of(site, accounts).notes
        self._looks_on = looks_on
        self._ends = KnownEnds()
        self._names, self._throttles = SlurmNames(), Throttles()
        self._told: set[str] = set()  # whose end has been told: Slurm lists them for minutes
        self._users: dict[str, int] = {}
        self._payers: dict[str, int] = {}

    def see(self, listings: SlurmListings) -> Observation:
        """The observation.

        Raises:
            InputError: Slurm's hosts break what holds for any cluster.
        """
        cluster = self._cluster(listings)
        self._ends.look(listings.rows)
        rows = self._throttles.with_limits(listings.rows)
        listings = replace(listings, rows=self._names.told_apart(rows, listings.token))
        gpu_models, counts = feature_by_model(listings.nodes), gpu_counts(listings.nodes)
        works: list[SlurmJob] = []
        left_out: list[tuple[str, str]] = []
        over: list[EndedJob] = []
        known = set(cluster.names)
        for row in listings.rows:
            if is_over(row):
                if row.id not in self._told:
                    over.append(EndedJob(row.id, float(row["EndTime"] or listings.at_s), ENDED[row["State"]]))
                continue
            counts_memory = self._site.selection.memory
            work = work_of(
                row,
                looks_on=self._looks_on,
                counts_memory=counts_memory,
                gpu_models=gpu_models,
                gpu_counts=counts,
                licences=dict(self._site.licences),
                shared=[part.name for part in self._site.partitions if part.sharing in ("yes", "force")],
            )
            if isinstance(work, SlurmJob) and work.state in (HELD, CLAIMED) and not self._is_ours(row):
                work = f"waits in {row['Partition']}, which is not among the requested partitions"
            if isinstance(work, str):
                left_out.append((row.id, work))
            elif not set(work.on) <= known:
                left_out.append((row.id, "is on hosts that Slurm does not list"))
            else:
                works.append(work)
        works = with_all_memory(sorted(works, key=lambda work: work.row.arrival), cluster)
        up = np.array([node.there and node.awake for node in listings.nodes])
        seen = Observation(
            listings.at_s,
            cluster,
            up,
            self._jobs(works, cluster, listings.at_s),
            tuple(work.row.id for work in works),
            self._tasks(works, cluster),
            tuple(left_out),
            tuple(over),
            listings.token,
            awaits=self._awaits(works),
            refused=_unserved_pins(works),
        )
        seen.check()
        self._told = {row.id for row in listings.rows if is_over(row)}
        return seen

    def _is_ours(self, row: ListedJob) -> bool:
        return not self._partitions or set(row["Partition"].split(",")) <= self._partitions

    def _cluster(self, listings: SlurmListings) -> Cluster:
        nodes = tuple(replace(node, there=True) for node in listings.nodes)  # also those down
        there = {node.name for node in nodes}
        partitions = tuple(
            replace(
                part,
                state=listings.states.get(part.name, part.state),
                nodes=tuple(name for name in part.nodes if name in there),
            )
            for part in self._site.partitions
        )
        cluster = cluster_of(replace(self._site, nodes=nodes, partitions=partitions), self._accounts).cluster
        number = {name: k for k, name in enumerate(cluster.names)}
        assert cluster.rules is not None
        calendar = tuple(row for each in listings.reservations if (row := _calendar(each, number, listings.at_s)))
        calendar += tuple(_drained_until_limit(row, number) for row in listings.rows if _keeps_hosts(row, number))
        return replace(cluster, rules=replace(cluster.rules, calendar=calendar)) if calendar else cluster

    def _jobs(self, works: list[SlurmJob], cluster: Cluster, at_s: float) -> Workload:
        rows = [work.row for work in works]
        amounts = {
            CORES: [work.cores for work in works],
            MEMORY: [work.memory for work in works],
            GPUS: [work.gpus for work in works],
        }
        demand = np.array([amounts[name] for name in cluster.resources], float).reshape(len(cluster.resources), -1).T
        limit_s = np.array([work.limit_s for work in works], float)
        users = np.array([self._users.setdefault(row["UserName"], len(self._users)) for row in rows], np.int32)
        payers = np.array([self._payers.setdefault(row["Account"], len(self._payers)) for row in rows], np.int32)
        jobs = Workload(
            cluster.resources,
            np.array([float(row["SubmitTime"] or 0) for row in rows], float),
            limit_s,
            demand,
            tasks=np.array([work.hosts for work in works], np.int32),
            estimate_s=limit_s,
            project=payers,
            user=users,
            job_id=np.array([_number(row) for row in rows], np.int64),
            source="Slurm",
            constraints=self._constraints(works, at_s),
        )
        return hold_whole_hosts(jobs, cluster)

    def _constraints(self, works: list[SlurmJob], at_s: float) -> Constraints:
        rows = [work.row for work in works]
        ready_s = np.array([self._ready_s(work, at_s) for work in works], float)
        arrays = any(row.task >= 0 for row in rows)
        given: dict[str, Any] = {
            "eligible_s": ready_s,
            "partition": Named.of(row["Partition"] for row in rows),
            "qos": Named.of(row["QOS"] for row in rows),
            "priority": np.array([float(row["PriorityLong"] or 0) for row in rows], float),
            "nice": np.array([float(row["Nice"] or 0) for row in rows], float),
            "hold": np.array([work.hold for work in works], np.int32),
            "user_names": tuple(self._users),
            "account_names": tuple(self._payers),
        }
        if arrays:
            given["array"] = np.array([int(row["ArrayJobID"]) if row.task >= 0 else -1 for row in rows], np.int64)
            given["array_task"] = np.array([row.task for row in rows], np.int32)
            given["throttle"] = np.array([row.throttle for row in rows], np.int32)
        if any(work.features for work in works):
            given["features"] = Named.of(work.features for work in works)
        if any(work.licences for work in works):
            given["licences"] = Named.of(work.licences for work in works)
        if any(work.hosts > 1 for work in works):
            hosts = np.array([work.hosts if work.hosts > 1 else 0 for work in works], np.int32)
            given |= {"min_hosts": hosts, "max_hosts": hosts}
        if any(work.whole for work in works):
            given["exclusive"] = np.array([_WHOLE if work.whole else 0 for work in works], np.int32)
        if any(row["Reservation"] for row in rows):
            given["reservation"] = Named.of(row["Reservation"] for row in rows)
        return Constraints(**given)

    def _ready_s(self, work: SlurmJob, at_s: float) -> float:
        """Its begin time, and what it waits for in others."""
        if work.state not in (HELD, CLAIMED):
            return float(work.row["SubmitTime"] or 0)
        eligible = work.row["EligibleTime"]
        begin_s = float(eligible) if eligible.isdecimal() and float(eligible) > at_s else 0.0
        return max(begin_s, self._ends.ready_s(work.row), float(work.row["SubmitTime"] or 0))

    def _awaits(self, works: list[SlurmJob]) -> tuple[Awaits, ...]:
        """What jobs that wait wait for in others."""
        waits = (self._ends.awaits(work.row) for work in works if work.state in (HELD, CLAIMED))
        return tuple(each for each in waits if each is not None)

    def _tasks(self, works: list[SlurmJob], cluster: Cluster) -> ObservedTasks:
        number = {name: k for k, name in enumerate(cluster.names)}
        rows: list[tuple[int, int, int, int, int, float]] = []
        held: list[list[float]] = []
        for job, work in enumerate(works):
            waits = work.state in (HELD, CLAIMED)
            parts = None if waits else self._parts(work)
            start_s = float(work.row["StartTime"]) if not waits and work.row["StartTime"].isdecimal() else math.nan
            for task in range(work.hosts):
                on = number[work.on[task]] if task < len(work.on) else NOWHERE
                rows.append((job, task, work.state, NOWHERE if waits else on, on if waits else NOWHERE, start_s))
                part = parts[work.on[task]] if parts else HostPart(work.cores, work.memory, work.gpus)
                amounts = {CORES: part.cores, MEMORY: part.memory, GPUS: part.gpus}
                held.append([amounts[name] for name in cluster.resources])
        job_, task_, state, host, pin, start = zip(*rows, strict=True) if rows else ((),) * 6
        return ObservedTasks(
            np.array(job_, np.int64),
            np.array(task_, np.int32),
            np.array(state, np.int32),
            np.array(host, np.int32),
            np.array(pin, np.int32),
            np.array(held, float).reshape(len(rows), len(cluster.resources)),
            np.array(start, float),
        )

    def _parts(self, work: SlurmJob) -> dict[str, HostPart] | None:
        """What it has host by host, where that may differ."""
        if work.hosts == 1:
            return None
        parts = self._detail(work.row.id, work.row["StartTime"])
        return parts if set(work.on) <= set(parts) else None


def _unserved_pins(works: list[SlurmJob]) -> tuple[tuple[str, str], ...]:
    """Jobs whose pin cannot be served: Slurm takes their priority away, and tells it only in the listing."""
    rows = (work.row for work in works if work.state == HELD and work.on)
    return tuple((row.id, f"Slurm says {UNFIT}") for row in rows if row["Reason"] == UNFIT)


def _keeps_hosts(row: ListedJob, number: dict[str, int]) -> bool:
    """Whether it runs on hosts that take no job of another user until it ends."""
    if row["OverSubscribe"] not in KEEPS_HOSTS or not row["StartTime"].isdecimal() or is_over(row):
        return False
    on = host_names(row["NodeList"])
    return state_of(row, looks_on=False) in (RUNNING, ENDING) and not number.keys().isdisjoint(on)


def _drained_until_limit(row: ListedJob, number: dict[str, int]) -> CalendarRow:
    """Its hosts, which take no further job until its limit, as if they were drained."""
    hosts = tuple(number[name] for name in host_names(row["NodeList"]) if name in number)
    start_s = float(row["StartTime"])
    return CalendarRow(start_s, start_s + limit_s(row["TimeLimit"]), "drained", hosts)


def _number(row: ListedJob) -> int:
    """A number for every job: its own, and for a task of an array one that no job has."""
    return int(row["JobID"]) if row.task < 0 else (int(row["ArrayJobID"]) << 22) + row.task


def _calendar(each: Reservation, number: dict[str, int], at_s: float) -> CalendarRow | None:
    hosts = tuple(number[name] for name in each.hosts if name in number)
    if not hosts or each.to_s <= max(at_s, each.from_s):
        return None
    denied = any(name.startswith("-") for name in (*each.users, *each.accounts))
    users, accounts = ((), ()) if denied else (each.users, each.accounts)
    try:
        return CalendarRow(each.from_s, each.to_s, "reserved", hosts, each.name, users, accounts, "FLEX" in each.flags)
    except InputError:
        return None
