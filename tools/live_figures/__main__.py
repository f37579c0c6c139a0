"""The figures that `live` is to reach, on a real Slurm of its own: `python tools/live_figures WHAT DIR`.

- `check`: 500 jobs on 8 hosts under three rules; how many decisions and starts `live --check` finds alike.
- `kills`: signal 9 for the loop at 50 random moments, for slurmctld at 10, hosts drained or dead at 20; what became of
  every job.
- `speed`: observe, decide and act with 1,000 waiting jobs on 50 hosts.
- `steady`: 20 minutes of shadow in cycles of a second beside 2,000 jobs; memory, and cycles that were missed.

Prints what came out as JSON, with the load of the machine beside it, and keeps it in `DIR/WHAT.figures.json`. Takes
root and Debian's packages of Slurm (exit code 2 without); everything it starts is gone at the end.
"""

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "set_ups"))

import checks
import kills
import real_slurm
import speed
import steady

FIGURES: dict[str, Callable[[Path, argparse.Namespace], dict[str, object]]] = {
    "check": lambda folder, asked: checks.measure(folder, asked.jobs or 500, asked.hosts or 8),
    "kills": lambda folder, asked: kills.measure(folder, *asked.deaths),
    "speed": lambda folder, asked: speed.measure(folder, asked.jobs or 1000, asked.hosts or 50),
    "steady": lambda folder, asked: steady.measure(folder, asked.minutes, asked.jobs or 2000, asked.hosts or 20),
}


def main() -> int:
    """Measure; exit code 2 where no Slurm can be started."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=sorted(FIGURES))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--minutes", type=float, default=20.0, help="of steady")
    parser.add_argument("--jobs", type=int, default=0)
    parser.add_argument("--hosts", type=int, default=0)
    parser.add_argument(
        "--deaths", type=int, nargs=3, default=[50, 10, 20], help="of loop, controller, hosts; for kills"
    )
    asked = parser.parse_args()
    if reason := real_slurm.why_not():
        print(reason, file=sys.stderr)
        return 2
    folder = asked.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    found = json.dumps(FIGURES[asked.what](folder, asked), indent=1)
    (folder / f"{asked.what}.figures.json").write_text(found + "\n")
    print(found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
