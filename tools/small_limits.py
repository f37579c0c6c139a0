"""Tries the engine with very small limits: `python tools/small_limits.py [FIRST LAST] [--discipline NAME]`.

The kernels keep hosts, jobs and failures in blocks, steps and lists of fixed sizes. Small random logs do not reach the
ends of these, and large logs are too slow for the plain engine. So a copy of the package gets limits of 1 to 4, its
kernels run as plain Python, and each schedule is compared with the plain engine's. Exit code 1 if any differs.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from shutil import copytree, ignore_patterns

ROOT = Path(__file__).parents[1]
RUNS = ROOT / "tests" / "set_ups" / "many_shapes.py"
ENGINE, INDEX, PASSES = "sim/queue/engine", "host_index", "backfilling"
LIMITS: dict[str, dict[str, int]] = {
    f"{ENGINE}/state.py": {"PARETO": 2, "FAN": 2, "HOSTS_OF_BLOCK": 2, "LANES": 3},
    f"{ENGINE}/initial_state.py": {"MOST_STEPS": 2, "BLOCK_STEPS": 2, "SHELVES": 2},
    f"{ENGINE}/records.py": {"ROWS": 3},
    f"{ENGINE}/host_pool.py": {"MOST_CLASSES": 2},
    f"{ENGINE}/arrays.py": {"MOST_HOSTS_IN_ROWS": 6, "MOST_ROWS": 9, "MOST_CYCLES": 9},
    f"{ENGINE}/cycle_ends_kernel.py": {"CHUNK": 2},
    f"{ENGINE}/expected_ends_kernel.py": {"LATELY": 2},
    f"{ENGINE}/head_promise_kernel.py": {"AT_ONCE": 2},
    f"{ENGINE}/general_layout.py": {"FEW_STEPS": 2},
    f"{ENGINE}/priority_ticks_kernel.py": {"DEAR": 1, "SHORT_LIST": 2},
    f"{ENGINE}/ranked_queue_kernel.py": {"FIRST": 2, "MORE": 2, "SAMPLE": 4, "KEPT": 2, "MISSED": 1},
    f"{ENGINE}/profile/state.py": {"BLOCK": 2},
    f"{ENGINE}/profile/displacement_kernel.py": {"FAR": 2},
    f"{ENGINE}/profile/layout.py": {"MOST_UNSEEN": 2},
    f"{INDEX}/core_rows_kernel.py": {"PLACES": 2},
    f"{INDEX}/lanes_kernel.py": {"BLOCK": 2},
    f"{INDEX}/open_minima_kernel.py": {"CHUNK": 2},
    f"{INDEX}/scores_kernel.py": {"SLOTS": 2, "SHARED": 1, "FEW": 1},
    f"{INDEX}/groups_kernel.py": {"GROUP": 2, "MANY_BLOCKS": 1},
    f"{PASSES}/lookahead.py": {"MOST_CELLS": 8},
    f"{PASSES}/shadow_time_kernel.py": {"A_FEW": 1},
    f"{PASSES}/earliest_fit_kernel.py": {"TRIES": 1},
    f"{PASSES}/host_choice_kernel.py": {"FEW": 1},
    f"{PASSES}/start_bounds_kernel.py": {"MOST_BOUNDS": 4, "FREED": 2, "BLOCK": 2, "APART": 1, "MOST_NEEDS": 2},
}
"""By file: its limits, and what they become."""


def main() -> int:
    """Run the logs of some seeds; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seeds", nargs="*", type=int, default=[0, 100], metavar="SEED", help="first, and one past last")
    parser.add_argument("--discipline", default="", metavar="NAME", help="every run under this one")
    given = parser.parse_args()
    first, last = given.seeds
    with tempfile.TemporaryDirectory() as folder:
        copytree(ROOT / "src", Path(folder, "src"), ignore=ignore_patterns("__pycache__"))
        for path, limits in LIMITS.items():
            _set(Path(folder, "src", "loadmaster", path), limits)
        return subprocess.run(
            [sys.executable, "-W", "ignore", RUNS, str(first), str(last), given.discipline],
            env={**os.environ, "PYTHONPATH": str(Path(folder, "src")), "NUMBA_DISABLE_JIT": "1"},
            check=False,
        ).returncode


def _set(file: Path, limits: dict[str, int]) -> None:
    """Set the limits of a module, of which a line may set several."""
    lines = file.read_text().splitlines(keepends=True)
    for name, value in limits.items():
        at, names, values = next(
            (at, found[1].split(", "), found[2].split(", "))
            for at, line in enumerate(lines)
            if (found := re.fullmatch(r"([A-Z_, ]+) = (.+)\n", line)) and name in found[1].split(", ")
        )
        values[names.index(name)] = str(value)
        lines[at] = f"{', '.join(names)} = {', '.join(values)}\n"
    file.write_text("".join(lines))


if __name__ == "__main__":
    sys.exit(main())
