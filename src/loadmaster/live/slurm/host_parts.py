"""What a running job of several hosts has on each of them: no listing shows it, so each job is queried separately."""

import re
from typing import NamedTuple

from loadmaster.live.slurm.commands import Commands
from loadmaster.live.slurm.names import number_of
from loadmaster.model.gres import gpus_in
from loadmaster.model.host_names import host_names
from loadmaster.model.units import MB

_PART = re.compile(r"Nodes=(\S+) CPU_IDs=(\S+) Mem=(\d+)(?: GRES=(\S*))?")


class HostPart(NamedTuple):
    """Cores, bytes of memory and GPUs that a job has on one host."""

    cores: float
    memory: float
    gpus: float = 0.0


class HostParts:
    """Asks once for each run of a job, as it never changes while it runs.

    Args:
        commands: of the Slurm.
    """

    def __init__(self, commands: Commands) -> None:
        self._commands = commands
        self._known: dict[tuple[str, str], dict[str, HostPart]] = {}
        self._asked: set[tuple[str, str]] = set()

    def of(self, job: str, start: str) -> dict[str, HostPart]:
        """By host, what a job that began then has there; empty where Slurm does not say.

        Raises:
            EngineDown: Slurm does not answer.
        """
        key = (job, start)
        self._asked.add(key)
        if key not in self._known:
            text = self._commands.run("scontrol", "-o", "-d", "show", "job", number_of(job)).text
            parts = {
                host: HostPart(float(_count(cpus)), float(mib) * MB, float(gpus_in(gres)))
                for hosts, cpus, mib, gres in _PART.findall(text)
                for host in host_names(hosts)
            }
            if not parts:
                return {}  # asked again the next time
            self._known[key] = parts
        return self._known[key]

    def forget_ended(self) -> None:
        """An observation is made: those that were not requested in it run no more."""
        self._known = {key: parts for key, parts in self._known.items() if key in self._asked}
        self._asked.clear()


def _count(ranges: str) -> int:
    """How many processors `0-6,9` names."""
    parts = (part.partition("-") for part in ranges.split(",") if part)
    return sum(int(last or first) - int(first) + 1 for first, _, last in parts)
