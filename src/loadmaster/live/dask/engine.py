"""Runs shell commands on Dask's workers: observations for the loop, and how its actions are carried out.

A job is one attempt at one command, named `COMMAND.ATTEMPT`, both from 1. A command that has not started is no job: it
waits in the decider. Dask reports ends by itself; the engine looks for machines that come and go.
"""

import contextlib
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from loadmaster.live.bag.command import CANNOT_RUN, TIMED_OUT, CommandOutcome, execute, stop
from loadmaster.live.bag.config import task_folder
from loadmaster.live.dask.machines import Machines
from loadmaster.live.session.clocks import WokenClock
from loadmaster.live.session.engine import (
    Capabilities,
    EndedJob,
    Observation,
    ObservedTasks,
    Refusal,
)
from loadmaster.model import Cluster, Workload
from loadmaster.model.actions import Action, Release, Rent, Start, Stop
from loadmaster.model.units import UNLIMITED_S

LOOK_S = 0.2
"""How often machines are looked for at most."""


@dataclass
class _Host:
    """A machine that we have rented.

    Attributes:
        address: of its worker; "" until that has come up.
        gone: why it will not come up, or come back.
        job: the attempt that it runs, or was the last to run.
        began_s: when that was given to it.
        future: of that attempt, while it runs.
        over: how the last attempt ended.
    """

    address: str = ""
    gone: str = ""
    job: str = ""
    began_s: float = math.nan
    future: Any = None
    over: EndedJob | None = None


class DaskEngine:
    """See `loadmaster.live.session.engine.Engine`."""

    name = "dask"
    can = Capabilities(rent=True, hold=False, watch="push")

    def __init__(
        self,
        machines: Machines,
        commands: Sequence[str],
        folder: Path,
        clock: WokenClock,
        timeout_s: float | None = None,
    ) -> None:
        """Args:
        machines: where machines come from.
        commands: that can be started.
        folder: where their output goes.
        clock: that is rung when an attempt ends.
        timeout_s: after which a command is killed.
        """
        self._machines, self._commands, self._folder = machines, commands, folder.resolve()
        self._clock, self._timeout_s = clock, timeout_s
        self._hosts: dict[str, _Host] = {}
        self._rents, self._releases = 0, list[str]()
        self._looked_s = -math.inf

    def observe(self) -> Observation:
        """See `Engine`.

        Raises:
            InputError: the scheduler is gone, or can give us no machine at all.
        """
        self._rent_and_release()
        before = {name for name, host in self._hosts.items() if host.gone}
        self._look_at_attempts()
        lost = {name for name, host in self._hosts.items() if host.gone} - before
        if lost or self._clock.now_s() - self._looked_s >= LOOK_S:
            self._look_at_machines()
        return self._observation()

    def act(self, action: Action) -> Refusal | None:
        """See `Engine`; machines are rented and given back together, before the next observation."""
        match action:
            case Start(job, (name,)):
                return self._start(action, job, name)
            case Stop(job):
                return self._stop(action, job)
            case Rent(_, count):
                self._rents += count
            case Release(name):
                self._release(name)
            case _:
                return Refusal(action, "unknown", "Dask cannot do that")
        return None

    def close(self) -> None:
        """See `Engine`; machines go with the place that they come from."""

    def _rent_and_release(self) -> None:
        rents, releases, self._rents, self._releases = self._rents, self._releases, 0, []
        if rents or releases:
            for name in self._machines.change(rents, releases):
                self._hosts[name] = _Host()
            self._looked_s = -math.inf

    def _start(self, action: Action, job: str, name: str) -> Refusal | None:
        host = self._hosts.get(name)
        if host is None or host.gone or not host.address:
            return Refusal(action, "gone", f"there is no machine {name} now")
        if host.future is not None:
            return Refusal(action, "busy", f"machine {name} runs {host.job}")
        command, attempt = map(int, job.split("."))
        host.future = self._machines.client.submit(
            execute,
            self._commands[command - 1],
            self._place(job),
            self._timeout_s,
            pure=False,
            key=f"task-{command}-{attempt}-{time.time_ns()}",
            workers=[host.address],
            allow_other_workers=False,
        )
        host.job, host.over, host.began_s = job, None, self._clock.now_s()
        host.future.add_done_callback(lambda _: self._clock.ring())
        return None

    def _release(self, name: str) -> None:
        host = self._hosts.pop(name, _Host())
        if host.future is not None:
            self._kill(host)
        if host.gone:
            with contextlib.suppress(Exception):  # it is gone already
                self._machines.change(0, [name])
        else:
            self._releases.append(name)

    def _stop(self, action: Action, job: str) -> Refusal | None:
        hosts = [host for host in self._hosts.values() if host.job == job and host.future is not None]
        for host in hosts:
            self._kill(host)
        return None if hosts else Refusal(action, "gone", f"{job} runs no more")

    def _kill(self, host: _Host) -> None:
        """End what a machine runs; nothing happens where the machine is gone."""
        future, host.future = host.future, None
        if future is not None:
            future.cancel(force=True)
        client, folder = self._machines.client, self._place(host.job)
        client.run(stop, folder, workers=[host.address], on_error="ignore")

    def _place(self, job: str) -> str:
        command, attempt = map(int, job.split("."))
        return str(task_folder(self._folder, command, attempt))

    def _look_at_attempts(self) -> None:
        for host in self._hosts.values():
            if host.future is None or host.future.status == "pending":
                continue
            future, host.future = host.future, None
            now_s = self._clock.now_s()
            if future.status == "finished":
                host.over = _over(host.job, now_s, future.result())
                future.release()
            elif (why := _cannot_run(future)) is not None:
                host.over = EndedJob(host.job, now_s, "failed", CANNOT_RUN, 0.0, why)
            else:
                host.gone = "its worker died" if future.status == "error" else "the scheduler lost it"

    def _look_at_machines(self) -> None:
        """Machines that came up, and machines that are gone."""
        self._looked_s = self._clock.now_s()
        present, never = self._machines.present(), self._machines.vanished()
        for name, host in self._hosts.items():
            address = present.get(name, "")
            if host.gone:
                if address and address == host.address:
                    self._kill(host)  # the scheduler may have forgotten what its worker still runs
            elif not host.address:
                host.address, host.gone = address, "" if address else never.get(name, "")
            elif address != host.address and (host.future is None or host.future.status != "finished"):
                host.gone = "its worker died"  # had its attempt ended, that would have to be seen first
                if host.future is not None:
                    host.future.cancel(force=True)
                    host.future = None

    def _observation(self) -> Observation:
        hosts = {name: host for name, host in self._hosts.items() if not host.gone}
        row = {name: number for number, name in enumerate(hosts)}
        running = sorted((host.began_s, host.job, name) for name, host in hosts.items() if host.future is not None)
        count = len(running)
        limit_s = np.full(count, self._timeout_s or UNLIMITED_S)
        jobs = Workload.of(
            submit_s=[began_s for began_s, _, _ in running],
            runtime_s=limit_s,
            estimate_s=limit_s,
            cores=np.ones(count),
        )
        tasks = ObservedTasks.one_each([row[name] for _, _, name in running], start_s=np.array(jobs.submit_s))
        cluster = Cluster(jobs.resources, np.ones((len(hosts), len(jobs.resources))), tuple(hosts)) if hosts else None
        return Observation(
            self._clock.now_s(),
            cluster,
            np.array([bool(host.address) for host in hosts.values()], bool),
            jobs,
            tuple(job for _, job, _ in running),
            tasks,
            over=tuple(host.over for host in hosts.values() if host.over is not None),
            gone=tuple((name, host.gone) for name, host in self._hosts.items() if host.gone),
        )


def _over(job: str, now_s: float, outcome: CommandOutcome) -> EndedJob:
    code = outcome["exit_code"]
    status = "ok" if code == 0 else "timeout" if code == TIMED_OUT else "failed"
    return EndedJob(job, now_s, status, code, outcome["seconds"], ", ".join(outcome.get("left", [])))


def _cannot_run(future: Any) -> str | None:
    """Why the worker could not run a command, or None if the worker is gone."""
    from distributed import KilledWorker

    if future.status != "error":
        return None
    error = future.exception()
    return None if isinstance(error, KilledWorker) else f"{type(error).__name__}: {error}"
