"""Beside simba on the same log: `python benchmarks/beside_simba.py SIMBA [--jobs 100000] [--hosts 3000] [--load 0.85]`.

SIMBA is a checkout of github.com/oshai/simba, the Java simulator of Shai's thesis of 2014, compiled here by `javac`
against the libraries that it comes with. Both replay one synthetic log (1 to 8 cores and 1 to 32 GiB a job, hosts of 8
cores and 32 GiB) with first-fit every 30 s, all jobs looked at, one reservation. Prints the CPU seconds of the whole
commands (ours with its page, all compiled before), the least of the runs; and both mean waits.
"""

import argparse
import shutil
import statistics
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import polars as pl
from beside import HERE, Waits, cpu_s, in_turns, print_beside
from whole_commands import called

CYCLE_S = 30
MEMORY_KB = 1024 * 1024
LOOKED_AT = 2**31 - 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("simba", type=Path, help="a checkout of simba")
    parser.add_argument("--jobs", type=int, default=100_000)
    parser.add_argument("--hosts", type=int, default=3_000)
    parser.add_argument("--load", type=float, default=0.85)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="simba") as name:
        folder = Path(name)
        libraries = compiled(options.simba, folder / "classes")
        write_log(folder, options.jobs, options.hosts, options.load)
        run_ours(folder, options.hosts)  # compiles
        hosts = options.hosts
        sides = in_turns(options.runs, lambda: run_ours(folder, hosts), lambda: run_simba(libraries, folder))
    print_beside(f"{options.jobs:,} jobs x {hosts:,} hosts, load {options.load}", "simba", sides)


def compiled(simba: Path, classes: Path) -> str:
    """Compile simba into `classes`; what Java has to look through to run it."""
    libraries = ":".join(map(str, sorted(simba.resolve().glob("libs/*.jar"))))
    files = [str(path) for room in ("src", "src_no_junit") for path in (simba / "java" / room).rglob("*.java")]
    javac = ["javac", "-nowarn", "-encoding", "UTF-8", "-d", str(classes), "-cp", libraries, *files]
    subprocess.run(javac, check=True, capture_output=True)
    return f"{classes}:{libraries}"


def write_log(folder: Path, jobs: int, hosts: int, load: float, seed: int = 1) -> None:
    """The log as SWF, and as simba reads it: 22 columns, of which it looks at six; and its hosts."""
    rng = np.random.default_rng(seed)
    cores = rng.choice([1, 2, 4, 8], jobs, p=[0.7, 0.15, 0.1, 0.05])
    memory = np.minimum(cores * rng.choice([1, 2, 4], jobs, p=[0.5, 0.3, 0.2]), 32)
    runtime = np.maximum(1, np.round(rng.lognormal(6.0, 1.5, jobs))).astype(int)
    span = float((cores * runtime).sum()) / (hosts * 8 * load)
    submit = np.sort(rng.integers(0, int(span) + 1, jobs))
    submit += CYCLE_S - submit[0]  # both then decide in the same seconds
    swf, csv = [], []
    for i, (s, r, c, m) in enumerate(zip(submit, runtime, cores, memory, strict=True), start=1):
        each = m * MEMORY_KB // c
        swf.append(f"{i} {s} -1 {r} {c} -1 {each} {c} {r} {each} 1 1 1 1 1 1 -1 -1\n")
        csv.append(f"{i},,,,,{s},,,,{r},0,0,,,q,q,,,{s},,1,cores={c};memory={m}\n")
    (folder / "log.swf").write_text("".join(swf))
    (folder / "jobs.csv").write_text("".join(csv))
    (folder / "hosts.csv").write_text("".join(f"h{i},8,32\n" for i in range(hosts)))


def run_ours(folder: Path, hosts: int) -> Waits:
    """CPU seconds of the whole command, and the mean wait."""
    shutil.rmtree(folder / "ours", ignore_errors=True)
    command = ["compare", "log.swf", "--hosts", f"{hosts}x8c32g", "--policies", "first-fit", "--reservations", "1"]
    seconds = called(HERE, folder, [*command, "--spread", "single-host", "--interval", f"{CYCLE_S}s", "-o", "ours"])
    return seconds, pl.read_parquet(folder / "ours" / "summary.parquet")["mean_wait_s"][0]


def run_simba(libraries: str, folder: Path) -> Waits:
    """The same of simba, from the trace that it writes: id, submit time, wait, ..."""
    settings = {
        "simulation": "first-fit",
        "jobs-file": "jobs.csv",
        "hosts-file": "hosts.csv",
        "hosts-memory-noralize": 1,
        "scheduling-interval": CYCLE_S,
        "reservations": 1,
        "job-checked-by-scheduler": LOOKED_AT,
    }
    java = [
        "java",
        "-Xmx4g",
        "--add-opens",
        "java.base/java.lang=ALL-UNNAMED",  # for its Guice of 2011
        *(f"-D{key}={value}" for key, value in settings.items()),
        "-cp",
        libraries,
    ]
    seconds = cpu_s([*java, "sim.Simulator"], folder)
    lines = (folder / "jobs_trace").read_text().splitlines()[1:]
    return seconds, statistics.fmean(float(line.split()[2]) for line in lines)


if __name__ == "__main__":
    main()
