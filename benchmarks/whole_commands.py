"""Whole commands as a user types them: `python benchmarks/whole_commands.py [--beside OLD] [--cold]`.

CPU seconds (user and system, children included) of each command, the least of the runs. Each runs in an empty folder
with all compiled before, but for `--cold`, which gives the first comparison a cache of its own: what a new user waits
for. With `--beside`, every run is followed by one with the package of another working tree (`git worktree add OLD
COMMIT`), whose seconds are printed behind with the ratio, this tree's over the other's: seconds alone say little on a
busy machine.
"""

import argparse
import sys
import tempfile
from functools import partial
from pathlib import Path

from beside import HERE, cpu_s, in_turns, machine, with_package_of

COMMANDS = {
    "--help": ["--help"],
    "policies": ["policies"],
    "info, 10,000 jobs": ["info", "log.swf"],
    "compare, one policy": ["compare", "log.swf", "--hosts", "60x16c64g", "--policies", "first-fit", "-o", "one"],
    "compare, the demo": ["compare", "-o", "demo"],
    "compare, all kept": ["compare", "-o", "demo"],  # after the one above, in the same folder
}
COLD = {"compare, the demo, nothing compiled": ["compare", "-o", "cold"]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--beside", type=Path, help="a working tree of another commit")
    parser.add_argument("--cold", action="store_true", help="the first comparison, nothing compiled; a minute or more")
    options = parser.parse_args()
    trees = [tree for tree in (HERE, options.beside) if tree]
    print(machine())
    if options.cold:
        report(COLD, [[cold_run(tree)] for tree in trees])
        return
    for tree in trees:
        all_commands(tree)  # compiles
    report(COMMANDS, in_turns(options.runs, *(partial(all_commands, tree) for tree in trees)))


def report(commands: dict[str, list[str]], sides: list[list[list[float]]]) -> None:
    """One line a command: the least CPU seconds with each tree, and their ratio."""
    for number, name in enumerate(commands):
        least = [min(run[number] for run in runs) for runs in sides]
        beside = f"{least[1]:>7.2f} ({least[0] / least[1]:.2f})" if least[1:] else ""
        print(f"{name:<36} {least[0]:>7.2f} {beside}", flush=True)


def all_commands(tree: Path) -> list[float]:
    """CPU seconds of every command, one after another in one new folder."""
    with tempfile.TemporaryDirectory() as folder:
        called(tree, Path(folder), ["generate", "netbatch", "--jobs", "10000", "-o", "log.swf"])
        return [called(tree, Path(folder), command) for command in COMMANDS.values()]


def cold_run(tree: Path) -> list[float]:
    """CPU seconds of the first comparison where nothing is compiled."""
    with tempfile.TemporaryDirectory() as folder:
        return [called(tree, Path(folder), command, NUMBA_CACHE_DIR=folder) for command in COLD.values()]


def called(tree: Path, folder: Path, command: list[str], **more: str) -> float:
    """CPU seconds of one command."""
    environment = with_package_of(tree) | more
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed package has its modules as bytecode
    return cpu_s([sys.executable, "-m", "loadmaster", *command], folder, environment)


if __name__ == "__main__":
    main()
