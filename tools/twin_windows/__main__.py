"""Whether the twin is as good as its best member on every six weeks of real logs: `python tools/twin_windows TRACES`.

Every window of six weeks is run as it is and with its arrivals moved at random by up to ten minutes (`shake`), since
which rule is lucky on one such log is chance. The best member of a window is the one of the lowest wait on the mean
over its versions, known only in hindsight. Waits are compared by the logarithm of their ratio; a margin is the twin's
mean ratio over the versions, with the standard error of that mean. What it prints stands in docs/explanation/twin.md.

Runs are made by `pool`, which does nothing but this; `--check N` makes N windows a log with the product too, a minute
each, and stops where a single start differs. Results are kept in `--out`, and a run that was stopped goes on.
"""

import argparse
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from pool import MEMBERS, Jobs, Looks, replay
from windows import LOGS, RealLog, Window, margin_of, totals, versions_of, windows_of

from loadmaster.model import Cluster, Workload
from loadmaster.place import POLICIES
from loadmaster.scheduling import discipline_named
from loadmaster.sim.queue import simulate

RULES = (*MEMBERS, "twin")
FIRST = RULES[0]
HEADS = f"`{FIRST}`, h | best member, h | twin, h | margin | worst run | longest wait, d: twin of members"


def main() -> None:
    """Run what is missing, and print the tables."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("traces", type=Path)
    asked.add_argument("--only", default="", help="logs whose names begin so")
    asked.add_argument("--versions", type=int, default=10, help="of every window, the log itself among them")
    asked.add_argument("--every", type=float, default=Looks().every_s, help="seconds from look to look")
    asked.add_argument("--handicap", type=float, default=Looks().handicap, help="of members under fcfs")
    asked.add_argument("--echo", type=float, default=0.0, help="hours of arrivals that are expected to come once more")
    asked.add_argument("--check", type=int, default=0, help="windows a log that the product runs, too")
    asked.add_argument("-o", "--out", type=Path, default=Path("twin-windows.jsonl"))
    options = asked.parse_args()
    options.looks = Looks(options.every, options.handicap, 3600.0 * options.echo)
    if options.echo and options.check:
        asked.error("the product has no echo: leave out --echo or --check")
    kept = _kept(options.out)
    for log in LOGS:
        if log.file.startswith(options.only):
            _run(log, options, kept)
    for log in LOGS:
        if log.file.startswith(options.only):
            _tell(log, options, kept)


def _run(log: RealLog, options: argparse.Namespace, kept: dict[str, list[list[float]]]) -> None:
    """Make and keep all runs of a log that are not kept yet."""
    began_s = time.process_time()
    jobs, cluster = log.read(options.traces)
    for number, (first, window) in enumerate(windows_of(jobs)):
        for version, sample in enumerate(versions_of(window, first, options.versions)):
            key = _key(log, first, version, options.looks)
            if number < options.check and version == number % options.versions:
                _check(log, sample, cluster, first, options.looks)
            if key not in kept:
                kept[key] = [list(row) for row in _waits(log, sample, cluster, options.looks)]
                with options.out.open("a") as out:
                    print(json.dumps([key, kept[key]]), file=out)
        cpu_s = time.process_time() - began_s
        print(f"{log.name}, week {first} on: {window.jobs:,} jobs, {cpu_s:.0f} CPU s so far", file=sys.stderr)


def _key(log: RealLog, first: int, version: int, looks: Looks) -> str:
    how = f"every {looks.every_s:g} handicap {looks.handicap:g}" + (f" echo {looks.echo_s:g}" if looks.echo_s else "")
    return f"{log.name} {log.hosts} week {first} version {version} {how}"


def _kept(path: Path) -> dict[str, list[list[float]]]:
    return dict(json.loads(line) for line in path.read_text().splitlines()) if path.exists() else {}


def _starts(log: RealLog, sample: Workload, cluster: Cluster, looks: Looks) -> Iterator[tuple[str, np.ndarray]]:
    """float64[J]: when the jobs start under each rule."""
    jobs = Jobs(sample.submit_s, sample.runtime_s, sample.expected_s, log.cores_of(sample, cluster))
    for name, member in MEMBERS.items():
        yield name, replay(jobs, cluster.total[0], (member,))
    yield "twin", replay(jobs, cluster.total[0], tuple(MEMBERS.values()), looks)


def _waits(log: RealLog, sample: Workload, cluster: Cluster, looks: Looks) -> Iterator[tuple[float, float]]:
    """Mean and longest wait under each rule, in seconds."""
    for _, start_s in _starts(log, sample, cluster, looks):
        wait_s = start_s - sample.submit_s
        yield float(wait_s.mean()), float(wait_s.max())


def _check(log: RealLog, sample: Workload, cluster: Cluster, first: int, looks: Looks) -> None:
    """Stop if the product starts any job at another moment."""
    for name, start_s in _starts(log, sample, cluster, looks):
        rule = discipline_named(
            f"twin(every_s={looks.every_s:g},handicap={looks.handicap:g})" if name == "twin" else name
        )
        schedule = simulate(sample, cluster, POLICIES["first-fit"], rule, interval_s=0.0)
        differ = int((schedule.start_s != start_s).sum())
        if differ:
            sys.exit(f"{log.name}, week {first} on, {name}: the product starts {differ} jobs at other moments")
    print(f"{log.name}, week {first} on: the product starts every job at the same moment", file=sys.stderr)


def _tell(log: RealLog, options: argparse.Namespace, kept: dict[str, list[list[float]]]) -> None:
    """Print the table of a log."""
    jobs, _ = log.read(options.traces)
    found: list[Window] = []
    print(f"\n| {log.name}, week | {HEADS} |\n|{'---|' * (HEADS.count('|') + 2)}")
    for first, _ in windows_of(jobs):
        rows = [kept[_key(log, first, version, options.looks)] for version in range(options.versions)]
        window = margin_of(np.array(rows), RULES)
        found.append(window)
        hours = {name: f"{wait_s / 3600:.2f}" for name, wait_s in zip(RULES, window.mean_wait_s, strict=True)}
        best = f"{hours[window.best]} (`{window.best}`)"
        print(f"| {first} | {hours[FIRST]} | {best} | {hours['twin']} | {window.margin} | {window.worst} |", end="")
        print(f" {window.longest} |")
    print(f"\n{log.name}: {totals(found)}")


if __name__ == "__main__":
    main()
