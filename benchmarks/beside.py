"""Two sides measured in turns, so that both meet the same machine: two trees of this project, or it and a peer.

A script that measures cases, and with `--beside OLD` those of another working tree (`git worktree add OLD COMMIT`):

    options = parsed(parser, measured)          measured(*case) runs in a process of its own for each tree
    trees = started(options)
    ours, *theirs = in_turns(runs, *(partial(tree.measured, *case) for tree in trees))
"""

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent.parent
Waits = tuple[float, float]
"""CPU seconds of a whole command, and the mean wait of its schedule."""


class Tree:
    """The running script once more, with the package of a working tree, asked for one case a line."""

    def __init__(self, path: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, sys.argv[0], "--serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env=with_package_of(path),
        )  # fmt: skip

    def measured(self, *case: Any) -> Any:
        """What the script's `measured` says of the case there; a tuple comes as a list."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(case) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())


def parsed(parser: argparse.ArgumentParser, measured: Callable[..., Any]) -> argparse.Namespace:
    """The options, `--beside` among them; in the process of a `Tree`, answer its cases by `measured` and end."""
    parser.add_argument("--beside", type=Path, help="a working tree of another commit")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        for line in sys.stdin:
            print(json.dumps(measured(*json.loads(line))), flush=True)
        sys.exit()
    return options


def started(options: argparse.Namespace) -> list[Tree]:
    """Our tree, and the one beside it if there is one; says on what machine they run."""
    print(machine())
    return [Tree(path) for path in (HERE, options.beside) if path]


def machine() -> str:
    """What a figure was measured on, and how busy that was."""
    return f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, load {os.getloadavg()}"


def in_turns(runs: int, *sides: Callable[[], Any]) -> list[list[Any]]:
    """What each of `sides` gives in every run, one after another in each."""
    rounds = [[side() for side in sides] for _ in range(runs)]
    return [list(side) for side in zip(*rounds, strict=True)]


def queue_engine() -> tuple[Callable[..., Any], Callable[[str], Any], str]:
    """`simulate`, a discipline by its name, the name of the general engine."""
    with suppress(ImportError):
        from loadmaster.schedule import discipline_named
        from loadmaster.sim.queue import simulate

        return simulate, discipline_named, "compiled"
    from loadmaster import order, sim  # type: ignore[unreachable]

    first = {"none": order.Fcfs(), "skip": order.NetBatch(reservations=0)}
    return sim.simulate, lambda name: first.get(name) or order.DISCIPLINES[name][0](), "cycles"


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
