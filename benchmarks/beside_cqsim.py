"""Beside CQSim on the same log: `python benchmarks/beside_cqsim.py CQSIM [--jobs 3000] [--load 0.9]`.

CQSIM is a checkout of github.com/SPEAR-UIC/CQSim (2.0, Python). Both replay one synthetic SWF log by EASY, deciding at
every event, on a pool of 2,048 processors; estimates are the runtimes, as CQSim takes them. Prints the CPU seconds of
the whole commands (ours with its page, all compiled before), the least of the runs; and both mean waits.
"""

import argparse
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

import numpy as np
import polars as pl
from beside import HERE, Waits, cpu_s, in_turns, print_beside
from whole_commands import called

PROCESSORS = 2048


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cqsim", type=Path, help="a checkout of CQSim")
    parser.add_argument("--jobs", type=int, default=3_000)
    parser.add_argument("--load", type=float, default=0.9)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="cqsim") as name:
        folder = Path(name)
        source = with_settings(options.cqsim, folder)
        write_log(folder / "data" / "InputFiles" / "log.swf", options.jobs, options.load)
        run_ours(folder)  # compiles
        sides = in_turns(options.runs, lambda: run_ours(folder), lambda: run_cqsim(source, folder))
    print_beside(f"{options.jobs:,} jobs, load {options.load}", "CQSim", sides)


def with_settings(cqsim: Path, folder: Path) -> Path:
    """A copy of CQSim's source that does EASY (backfill 1) without a window; the command line takes no zero."""
    source = folder / "src"
    shutil.copytree(cqsim / "src", source)
    (folder / "data" / "InputFiles").mkdir(parents=True)
    settings = source / "Config" / "config_sys.set"
    lines = settings.read_text().splitlines()
    ours = {"backfill": "1", "win": "0", "read_num": "0"}
    settings.write_text(
        "".join(f"{key}={ours.get(key, value)}\n" for key, _, value in (a.partition("=") for a in lines))
    )
    return source


def write_log(path: Path, jobs: int, load: float, seed: int = 1) -> None:
    """A synthetic log in which no two jobs arrive in the same second: what happens then is a matter of taste."""
    rng = np.random.default_rng(seed)
    processors = 2 ** rng.integers(0, 10, jobs)
    runtime = np.maximum(1, np.round(rng.lognormal(7.5, 1.5, jobs))).astype(int)
    span = max(int((processors * runtime).sum() / (PROCESSORS * load)), 2 * jobs)
    submit = np.sort(rng.choice(span, jobs, replace=False))
    rows = zip(submit - submit[0], runtime, processors, strict=True)
    lines = [f"{i} {s} -1 {r} {p} -1 -1 {p} {r} -1 1 1 1 1 1 1 -1 -1\n" for i, (s, r, p) in enumerate(rows, start=1)]
    path.write_text(f"; MaxNodes: {PROCESSORS}\n; MaxProcs: {PROCESSORS}\n{''.join(lines)}")


def run_ours(folder: Path) -> Waits:
    """CPU seconds of the whole command, and the mean wait."""
    shutil.rmtree(folder / "ours", ignore_errors=True)
    command = ["compare", "data/InputFiles/log.swf", "--hosts", f"1x{PROCESSORS}c", "--policies", "first-fit"]
    seconds = called(HERE, folder, [*command, "--disciplines", "fcfs+easy", "--interval", "0", "-o", "ours"])
    return seconds, pl.read_parquet(folder / "ours" / "summary.parquet")["mean_wait_s"][0]


def run_cqsim(source: Path, folder: Path) -> Waits:
    """The same of CQSim, from the schedule that it writes: id;processors;...;wait;submit;start;end."""
    seconds = cpu_s([sys.executable, "cqsim.py", "-j", "log.swf", "-n", "log.swf"], source)
    (results,) = (folder / "data" / "Results").glob("*.rst")
    return seconds, statistics.fmean(float(line.split(";")[5]) for line in results.read_text().splitlines())


if __name__ == "__main__":
    main()
