"""The groups of one run: a group for the run, one in it for each machine, one in that for each command that runs there.

A process that uses the run's group holds a lock on its folder. The kernel releases the lock when the process dies, so
groups that it left behind can be distinguished from groups in use.
"""

import hashlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from loadmaster.live.cgroup.groups import ControlGroup, groups_named, make_group
from loadmaster.model import InputError
from loadmaster.system.file_lock import lock

PREFIX = "loadmaster-shares-"


class GroupTree:
    """The groups of the run in one folder; made anew, or taken over as an earlier start left them."""

    def __init__(self, folder: Path, machines: Sequence[str], power: Sequence[float]) -> None:
        """Args:
        folder: of the run.
        machines: their names; power: CPU seconds that each has in a second.

        Raises:
            InputError: no groups can be made here, or another loadmaster is at work with these.
        """
        self._top = make_group(name_of(folder), again=True)
        self._lock = os.open(self._top.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        if not lock(self._lock):
            os.close(self._lock)
            raise InputError(folder, "another loadmaster runs its commands", fix="wait for it or give another -o")
        self._row = {name: row for row, name in enumerate(machines)}
        try:
            self._machines = [self._top.within(f"machine{row}") for row in range(len(machines))]
            for group, cores in zip(self._machines, power, strict=True):
                group.cap(cores)
        except OSError as error:
            fix = "run as root, or in a unit of systemd with Delegate=cpu"
            raise InputError(self._top.path, f"no CPU can be shared out here: {error.strerror}", fix=fix) from None

    def make(self, name: str, machine: str) -> ControlGroup:
        """The group of a command on a machine; made if it is not there."""
        return self._machines[self._row[machine]].within(name)

    def commands(self) -> Iterator[tuple[str, str, ControlGroup]]:
        """(command, machine, group) of every group that is there; a command that was moved has one on each machine."""
        for machine, row in self._row.items():
            for name in self._machines[row].inner():
                yield name, machine, self.make(name, machine)

    def of(self, name: str) -> list[ControlGroup]:
        """The groups of one command that are there."""
        return [group.within(name) for group in self._machines if group.holds(name)]

    def lift(self) -> None:
        """Remove the limits of all machines and commands, since no program will change them any more."""
        for _, _, group in self.commands():
            group.cap(None)
        for group in self._machines:
            group.cap(None)

    def remove(self) -> None:
        """Take all groups away; what runs in them is ended."""
        self._top.remove_all()

    def close(self) -> None:
        """Let go of the lock."""
        os.close(self._lock)


def name_of(folder: Path) -> str:
    """The name of the group of the run in that folder."""
    return PREFIX + hashlib.sha256(str(folder.resolve()).encode()).hexdigest()[:16]


def clean_up(but: Path) -> list[str]:
    """Take away groups of runs that are over or died; the paths of those in which something still runs.

    Args:
        but: a folder whose groups are left alone.
    """
    left = []
    for name in groups_named(PREFIX):
        if name == name_of(but):
            continue
        group = make_group(name, again=True)
        file = os.open(group.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            if lock(file):
                if _busy(group):
                    left.append(str(group.path))
                else:
                    group.remove_all()
        finally:
            os.close(file)
    return left


def _busy(group: ControlGroup) -> bool:
    return bool(group.processes()) or any(_busy(group.within(name)) for name in group.inner())
