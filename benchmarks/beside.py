"""Whole commands measured in turns, so that both sides meet the same machine: two trees, or this one and a peer."""

import os
import platform
import resource
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent.parent
Waits = tuple[float, float]
"""CPU seconds of a whole command, and the mean wait of its schedule."""


def machine() -> str:
    """What a figure was measured on, and how busy that was."""
    return f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, load {os.getloadavg()}"


def in_turns(runs: int, *sides: Callable[[], Any]) -> list[list[Any]]:
    """What each of `sides` gives in every run, one after another in each."""
    rounds = [[side() for side in sides] for _ in range(runs)]
    return [list(side) for side in zip(*rounds, strict=True)]


def cpu_s(command: Sequence[str], folder: Path, environment: Mapping[str, str] | None = None) -> float:
    """CPU seconds of a command, user and system, children included; what it prints is not shown unless it fails."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    if done.returncode:
        sys.exit(f"{' '.join(command)}: {done.stderr.strip()}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def with_package_of(tree: Path) -> dict[str, str]:
    """The environment in which Python finds the package of a working tree."""
    return {**os.environ, "PYTHONPATH": str(tree.resolve() / "src")}


def print_beside(title: str, peer: str, sides: list[list[Waits]]) -> None:
    """The least seconds of both sides, ours first, their mean waits, and the ratio of the peer's seconds to ours."""
    print(f"{title}, {os.cpu_count()} cores, load averages {os.getloadavg()}")
    least = [min(seconds for seconds, _ in runs) for runs in sides]
    for name, seconds, runs in zip(("loadmaster", peer), least, sides, strict=True):
        print(f"{name:<12} {seconds:7.2f} CPU s, mean wait {runs[0][1]:,.3f} s")
    print(f"ratio {least[1] / least[0]:.2f}")
