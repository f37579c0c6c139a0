"""The jobs that run as a queue is listed, or as the window of a dump opens: runs go on from there (rules Q21, L12)."""

from dataclasses import replace

import numpy as np

from loadmaster.model import Cluster, InputError, StartingState, Workload
from loadmaster.model.arrays import Floats, Longs
from loadmaster.model.host_names import host_names
from loadmaster.system.counted import counted


def go_on_from(listed_s: float | None, workload: Workload, hosts: Cluster) -> tuple[Workload, str]:
    """The workload with the jobs that run at `listed_s` on their hosts, and what had to be assumed of these.

    A job runs then if it became eligible before: readers of listings give running jobs their start for that moment.
    A job without hosts, or with hosts that the cluster does not have, gets the first hosts that have room for it.

    Args:
        listed_s: when the queue was listed, on the clock of the workload; None of a log of jobs that are over.
        workload: all jobs of the listing that the hosts can hold.
        hosts: where they run.

    Raises:
        InputError: the hosts have no room for all jobs that run.
    """
    eligible_s = None if workload.constraints is None else workload.constraints.eligible_s
    if listed_s is None or eligible_s is None or not (eligible_s < listed_s).any():
        return workload, ""
    job = np.flatnonzero(eligible_s < listed_s)
    state, assumed = starting_state(listed_s, workload, job, eligible_s[job], hosts)
    jobs = counted(len(job), "job runs", "jobs run")
    note = f"{jobs} as the queue was listed, and the run goes on from there."
    if assumed:
        note += f" The listing does not show the hosts of {assumed:,} of them: these get the first hosts with room."
    return replace(workload, starting=state, recorded_hosts=None), note


def starting_state(
    now_s: float, workload: Workload, job: Longs, start_s: Floats, hosts: Cluster
) -> tuple[StartingState, int]:
    """The starting state of jobs that run, and for how many of them the hosts are assumed.

    Args:
        now_s: the moment at which they run.
        workload: with the hosts on which jobs ran, where they are known.
        job: int64[N], the jobs that run, in ascending order.
        start_s: float64[N], since when each runs.
        hosts: where they run.

    Raises:
        InputError: the hosts have no room for all of them.
    """
    placed, assumed = _places(workload, job, hosts)
    return StartingState(now_s, job, start_s, np.array(placed, np.int32)), assumed


def begin_at_window(opens_s: float | None, workload: Workload, hosts: Cluster) -> tuple[Workload, str]:
    """The workload as the window of a dump opens: with the jobs that run then, and without those that are over.

    Where the hosts have no room for the jobs that really ran, the runs begin with the first job of the log.

    Args:
        opens_s: when the window opens, on the clock of the workload; None of a log without one.
        workload: all jobs of the dump that the hosts can hold.
        hosts: where they run.
    """
    wait_s = workload.recorded_wait_s
    if opens_s is None or wait_s is None or workload.starting is not None:
        return workload, ""
    start_s = workload.submit_s + wait_s
    over = start_s + workload.runtime_s <= opens_s
    workload, start_s = workload.take(~over), start_s[~over]
    job = np.flatnonzero(start_s < opens_s)
    try:
        placed, assumed = _places(workload, job, hosts)
        state = StartingState(opens_s, job, start_s[job], np.array(placed, np.int32))
    except InputError as error:
        return workload, f"Runs begin with empty hosts: {error.value}: {error.rule}."
    waiting = int((workload.submit_s < opens_s).sum()) - len(job)
    runs = counted(len(job), "job runs", "jobs run")
    note = f"Runs begin as the window of the dump opens: then {runs} and {waiting:,} wait."
    if assumed:
        note += f" These hosts are not those of {assumed:,} of the running jobs: these get the first hosts with room."
    return replace(workload, starting=state), note


def _places(workload: Workload, job: Longs, hosts: Cluster) -> tuple[list[int], int]:
    """The hosts of the tasks of each job, one job after the other, and for how many jobs they are assumed."""
    number = {hosts.name(host): host for host in range(hosts.hosts)}
    named = [_named_hosts(workload, each, number) for each in job.tolist()]
    free, found = hosts.capacity.copy(), {}
    for known in (True, False):  # jobs whose hosts are known take theirs first
        for each, own in zip(job.tolist(), named, strict=True):
            if bool(own) == known:
                tasks, demand = int(workload.task_count[each]), workload.demand[each]
                listed = (
                    [own[task * len(own) // tasks] for task in range(tasks)] if own else _first(free, demand, tasks)
                )
                np.subtract.at(free, listed, demand)
                found[each] = listed
                if len(listed) < tasks or (free < 0).any():
                    _refuse(workload, each)
    return [host for each in job.tolist() for host in found[each]], sum(not own for own in named)


def _named_hosts(workload: Workload, job: int, number: dict[str, int]) -> list[int]:
    """The hosts that the listing names, by number; none where it names none, or others than these."""
    ran_on = workload.recorded_hosts
    if ran_on is None or ran_on.code[job] < 0:
        return []
    names = host_names(ran_on.names[ran_on.code[job]])
    return [number[name] for name in names] if all(name in number for name in names) else []


def _first(free: Floats, demand: Floats, tasks: int) -> list[int]:
    """The first hosts with room for so many tasks, or for fewer where there are no more."""
    asks = demand > 0
    room = np.floor((free[:, asks] / demand[asks]).min(axis=1)) if asks.any() else np.full(len(free), float(tasks))
    hosts = np.repeat(np.arange(len(free)), np.clip(room, 0, tasks).astype(np.int64))
    listed: list[int] = hosts[:tasks].tolist()
    return listed


def _refuse(workload: Workload, job: int) -> None:
    name = job if workload.job_id is None else int(workload.job_id[job])
    rule = "this job runs, and these hosts have no room for it beside the others that run"
    raise InputError(f"job {name}", rule, fix="give the hosts of the listing, such as scontrol show node prints them")
