"""Runs shell commands on this computer, each in a control group with a quota of CPU; see `session.engine.Engine`.

A machine is a part of this computer: a group with a quota of its cores, which has the groups of its commands. The
groups and the commands' folders hold what runs and how commands ended, so a start after a crash finds commands that ran
on. The decider counts memory; nothing here limits it.
"""

import subprocess
import time
from pathlib import Path

import numpy as np

from loadmaster.live.cgroup import command as shell
from loadmaster.live.cgroup.command import CappedOutcome
from loadmaster.live.cgroup.groups import ControlGroup
from loadmaster.live.cgroup.tree import GroupTree
from loadmaster.live.session.engine import (
    HELD,
    NOWHERE,
    RUNNING,
    Capabilities,
    EndedJob,
    Observation,
    ObservedTasks,
    Refusal,
    job_of,
)
from loadmaster.live.shares.batch import Batch
from loadmaster.model import Workload
from loadmaster.model.actions import Action, Cap, Move, Start, Stop
from loadmaster.model.units import UNLIMITED_S


class CgroupEngine:
    """See `Engine`; commands are called by their numbers, from "1"."""

    name = "cgroup"
    can = Capabilities(share=True, migrate="live")

    def __init__(self, batch: Batch, folder: Path) -> None:
        """Args:
        batch: commands and machines.
        folder: where their output goes, under `commands`.

        Raises:
            InputError: no control groups can be made here, or another loadmaster is at work in this folder.
        """
        self._batch, self._folder = batch, folder.resolve()
        machines = batch.machines.names
        self._row = {name: row for row, name in enumerate(batch.ids)}
        self._tree = GroupTree(self._folder, machines, batch.power.tolist())
        self._where: dict[str, str] = {}
        self._share: dict[str, float] = {}
        self._shells: dict[str, subprocess.Popen[bytes]] = {}
        self._over = {
            name: _over(name, outcome) for name in batch.ids if (outcome := shell.outcome_in(self.place(name)))
        }
        for name, machine, group in list(self._tree.commands()):
            if group.processes() or shell.exit_code_in(self.place(name)) is not None:
                self._where[name] = machine
        for name in batch.ids:  # their groups are gone, as after a restart of this box, but they had ended
            if name not in self._where and shell.exit_code_in(self.place(name)) is not None and name not in self._over:
                self._where[name] = shell.machine_in(self.place(name))
        self._began_s = {name: shell.began_s(self.place(name)) for name in self._where}

    def place(self, name: str) -> Path:
        """The folder of a command."""
        return self._folder / "commands" / name

    def observe(self) -> Observation:
        """See `Engine`."""
        for name in list(self._where):
            self._look_at(name)
        return self._observation()

    def act(self, action: Action) -> Refusal | None:
        """See `Engine`; a share that is given before the start counts from the start on."""
        name = job_of(action)
        if name not in self._row:
            return Refusal(action, "gone", f"there is no command {name}")
        try:
            match action:
                case Start(_, (machine,)):
                    return self._start(action, name, machine)
                case Cap(_, share):
                    self._share[name] = share
                    if name in self._where:
                        self._cap(name, self._tree.make(name, self._where[name]))
                case Move(_, (machine,)) if name in self._where:
                    self._move(name, machine)
                case Stop() if name in self._where:
                    self._stop(name)
                case Move() | Stop():
                    return Refusal(action, "gone", f"command {name} does not run")
                case _:
                    return Refusal(action, "unknown", "commands on this box can only be started, capped, moved, ended")
        except OSError as error:
            return Refusal(action, "unknown", str(error))
        return None

    def close(self) -> None:
        """See `Engine`; no group stays but those in which something runs on, without any limit."""
        try:
            if self._where:
                self._tree.lift()
            else:
                self._tree.remove()
        finally:
            self._tree.close()

    def _start(self, action: Action, name: str, machine: str) -> Refusal | None:
        if name in self._where or name in self._over:
            return Refusal(action, "busy", f"command {name} runs, or has run")
        group = self._tree.make(name, machine)
        self._cap(name, group, machine)
        self._shells[name] = shell.begin(self._batch.commands[self._row[name]], self.place(name), group, machine)
        self._where[name], self._began_s[name] = machine, time.time()
        return None

    def _cap(self, name: str, group: ControlGroup, machine: str = "") -> None:
        """Its share of what it requests, at the speed of its machine."""
        at = self._batch.machines.names.index(machine or self._where[name])
        speed = self._batch.machines.speed
        assert speed is not None
        demand = float(self._batch.demand[self._row[name], 0] * speed[at])
        group.cap(self._share.get(name, 1.0) * demand)

    def _move(self, name: str, machine: str) -> None:
        """All its processes, however many it makes meanwhile; the old group stays, since it has counted CPU time."""
        old, new = self._tree.make(name, self._where[name]), self._tree.make(name, machine)
        self._cap(name, new, machine)
        while processes := old.processes():
            for process in processes:
                try:
                    new.add(process)
                except ProcessLookupError:
                    continue  # it has ended
        self._where[name] = machine

    def _stop(self, name: str) -> None:
        """It has never run, as far as the next start goes."""
        self._forget(name)
        (self.place(name) / "exit").unlink(missing_ok=True)

    def _look_at(self, name: str) -> None:
        """Whether a command is over: by its shell if that is ours, else by what it wrote down."""
        place, child = self.place(name), self._shells.get(name)
        code = child.poll() if child is not None else shell.exit_code_in(place)
        if code is None:
            if child is None and not self._tree.make(name, self._where[name]).processes():
                self._forget(name)  # gone without a word, such as by a restart of this box
            return
        began_s, machine = self._began_s[name], self._where[name]
        ended_s = shell.ended_s(place) or time.time()
        outcome = CappedOutcome(
            command=self._batch.commands[self._row[name]],
            machine=machine,
            exit_code=code,
            seconds=max(0.0, ended_s - began_s),
            cpu_s=self._used_s(name),
            ended=max(ended_s, began_s),
        )
        shell.keep_outcome(place, outcome)
        self._over[name] = _over(name, outcome)
        self._forget(name)

    def _used_s(self, name: str) -> float | None:
        counts = [group.used_s() for group in self._tree.of(name)]
        return sum(counts) if counts else None

    def _forget(self, name: str) -> None:
        """Take its groups away, with whatever it has left behind in them."""
        for group in self._tree.of(name):
            group.remove_all()
        self._where.pop(name, None)
        if (child := self._shells.pop(name, None)) is not None:
            child.wait()

    def _observation(self) -> Observation:
        batch, now_s = self._batch, time.time()
        rows = [self._row[name] for name in batch.ids if name not in self._over]
        names = [batch.ids[row] for row in rows]
        count = len(rows)
        jobs = Workload(
            batch.machines.resources,
            np.zeros(count),
            np.full(count, UNLIMITED_S),
            batch.demand[rows],
            estimate_s=np.full(count, UNLIMITED_S),
        )
        at = {name: row for row, name in enumerate(batch.machines.names)}
        host = np.array([at[self._where[name]] if name in self._where else NOWHERE for name in names], np.int32)
        state = np.where(host >= 0, RUNNING, HELD)
        start_s = np.array([self._began_s[name] if name in self._where else np.nan for name in names])
        tasks = ObservedTasks.one_each(host, state, start_s=start_s)
        up = np.ones(batch.machines.hosts, bool)
        return Observation(now_s, batch.machines, up, jobs, tuple(names), tasks, over=tuple(self._over.values()))


def _over(name: str, outcome: CappedOutcome) -> EndedJob:
    code = outcome["exit_code"]
    return EndedJob(name, outcome["ended"], "ok" if code == 0 else "failed", code, outcome["seconds"])
