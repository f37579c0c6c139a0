"""Writes the digests of the runs in `tests/set_ups/frozen_runs.py`, or shows where the runs of today differ from them.

    python tools/freeze_runs.py                        write tests/sim/queue/frozen_runs.txt anew
    python tools/freeze_runs.py --new                  add the groups that it lacks, by the plain engine; others stay
    python tools/freeze_runs.py --check                print the runs that differ from the file; exit code 1 if any does
    python tools/freeze_runs.py --check --engine reference --slice 2/8    the second of eight parts, by the plain engine
    python tools/freeze_runs.py --only 1234            print run 1234 as a table
    python tools/freeze_runs.py --traces FOLDER        with the real logs of FOLDER; otherwise their lines stay

Equal schedules are the law: write the file anew only for a change that is meant to change schedules, and say which in
the commit. A run has the same digest on every engine.
"""

import argparse
import sys
from collections import Counter
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "set_ups"))

import frozen_runs

from loadmaster.model.constraints import STATUSES, Constraints

HEAD = """\
# Digests of the schedules of small runs, a line for each group of runs; see tests/set_ups/frozen_runs.py.
# Written by tools/freeze_runs.py.
"""


def main() -> int:
    """Write, check or show; exit code 1 if a run differs from the file."""
    assert __doc__
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--new", action="store_true", help="run only the groups that the file lacks")
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    parser.add_argument("--only", type=int, metavar="NUMBER", help="the run to print")
    parser.add_argument("--engine", default="", help="auto, compiled or reference")
    parser.add_argument("--slice", default="1/1", metavar="PART/PARTS", help="of the runs to check (1/1)")
    parser.add_argument("--traces", type=Path, help="a folder with real logs")
    asked = parser.parse_args()
    if asked.only is not None:
        show(asked.only, asked.engine)
        return 0
    return check(asked) if asked.check else write(asked)


def write(asked: argparse.Namespace) -> int:
    """Write the file anew, or what is new of it."""
    kept, runs = frozen_runs.kept(), frozen_runs.runs()
    counts = Counter(run.group for run in runs)
    stay = {name for name, count in counts.items() if asked.new and len(kept.get(name, ())) == count}
    lines = {"logs drawn": [frozen_runs.digest_of_logs()]} | {name: kept.get(name, []) for name in counts}
    lines |= {name: [] for name in counts if name not in stay}
    for run in _tracked([run for run in runs if run.group not in stay]):
        lines[run.group].append(run.digest(asked.engine or ("reference" if asked.new else "")))
    lines |= {name: digests for name, digests in kept.items() if name.startswith("log ")}
    lines |= {name: [digest] for name, digest in frozen_runs.log_groups(asked.traces)} if asked.traces else {}
    text = "".join(f"{name}: {' '.join(digests)}\n" for name, digests in lines.items())
    frozen_runs.FILE.write_text(HEAD + text)
    print(f"{sum(map(len, lines.values()))} digests in {frozen_runs.FILE}")
    return 0


def check(asked: argparse.Namespace) -> int:
    """Print the runs that differ from the file."""
    part, parts = map(int, asked.slice.split("/"))
    numbered = list(enumerate(frozen_runs.expected()))[part - 1 :: parts]
    differ = 0
    for number, (run, digest) in _tracked(numbered):
        if run.digest(asked.engine) != digest:
            differ += 1
            print(f"{number} {run}", flush=True)
    kept = frozen_runs.kept()
    for name, digest in frozen_runs.log_groups(asked.traces) if asked.traces else ():
        if kept.get(name) != [digest]:
            differ += 1
            print(name, flush=True)
    print(f"{differ} of {len(numbered)} runs differ")
    return 1 if differ else 0


def show(number: int, engine: str) -> None:
    """Print a run as a table, a row for each job."""
    run = frozen_runs.runs()[number]
    workload, cluster = run.log()
    console = Console()
    console.print(run)
    console.print(
        "capacity", cluster.capacity.tolist(), "speed", None if cluster.speed is None else cluster.speed.tolist()
    )
    console.print("constraints", sorted((workload.constraints or Constraints()).given), "rules", cluster.rules)
    schedule = run.schedule(workload, cluster, engine)
    ends_s, first = schedule.ends_s(workload), workload.first_task
    columns = ("job", "submit_s", "runtime_s", "expected_s", "tasks", "demand", "start_s", "end_s", "status", "hosts")
    table = Table(*columns, title=f"digest {frozen_runs.digest_of(workload, schedule)}")
    for job in range(workload.jobs):
        code = -1 if schedule.status is None else int(schedule.status[job])
        cells = (
            job,
            workload.submit_s[job],
            workload.runtime_s[job],
            workload.expected_s[job],
            workload.task_count[job],
            workload.demand[job].tolist(),
            schedule.start_s[job],
            ends_s[job],
            "" if code < 0 else STATUSES[code],
            np.asarray(schedule.host[first[job] : first[job + 1]]).tolist(),
        )
        table.add_row(*map(str, cells))
    console.print(table)


def _tracked(runs):  # type: ignore[no-untyped-def]
    return track(runs, description="runs", console=Console(stderr=True))


if __name__ == "__main__":
    sys.exit(main())
