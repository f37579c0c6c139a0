"""How fast a large padded SWF log is read: `python benchmarks/read_swf.py [LINES] [--repeat N] [--peers]`.

Makes a synthetic log of LINES jobs (13 million by default, 1.4 GB) in a temporary folder, plain and gzip, and reads
each file in a process of its own: seconds by the wall, peak memory of the process, lines a second. Peers read the same
plain file in the same run: pandas if it is installed, and a loop over lines in plain Python (on the first million).
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

OURS = """
import json, sys, time
from loadmaster.traces.swf import read_swf
read_swf(sys.argv[2])  # a small log first: compiled kernels are loaded, as in any second run
start = time.perf_counter()
jobs = read_swf(sys.argv[1]).workload.jobs
seconds = time.perf_counter() - start
peak = int(next(x for x in open("/proc/self/status") if x.startswith("VmHWM")).split()[1]) / 1024
print(json.dumps([jobs, seconds, peak]))
"""
PANDAS = """
import json, sys, time
import pandas as pd
start = time.perf_counter()
frame = pd.read_csv(sys.argv[1], sep=r"\\s+", comment=";", header=None, usecols=[0, 1, 3, 4, 6, 7, 8, 9, 11, 12])
seconds = time.perf_counter() - start
peak = int(next(x for x in open("/proc/self/status") if x.startswith("VmHWM")).split()[1]) / 1024
print(json.dumps([len(frame), seconds, peak]))
"""
NAIVE = """
import itertools, json, sys, time
start = time.perf_counter()
with open(sys.argv[1]) as file:
    rows = [[float(x) for x in line.split()[:18]] for line in itertools.islice(file, 1_000_000) if line[0] != ";"]
seconds = time.perf_counter() - start
peak = int(next(x for x in open("/proc/self/status") if x.startswith("VmHWM")).split()[1]) / 1024
print(json.dumps([len(rows), seconds, peak]))
"""
WIDTHS = (8, 8, 6, 7, 4, 7, 8, 4, 7, 8, 2, 4, 4, 5, 2, 2, 2, 6)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("lines", type=int, nargs="?", default=13_000_000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--peers", action="store_true", help="also pandas and plain Python, once each")
    options = parser.parse_args()
    print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    with tempfile.TemporaryDirectory(prefix="read_swf") as folder:
        plain, small = Path(folder) / "large.swf", Path(folder) / "small.swf"
        write_padded(small, 1_000)
        write_padded(plain, options.lines)
        packed = plain.with_suffix(".swf.gz")
        pack(plain, packed)
        for name, path in (("plain", plain), ("gzip", packed)):
            report(f"loadmaster, {name}", [run(OURS, path, small) for _ in range(options.repeat)], path)
        if options.peers:
            for name, script in (("pandas", PANDAS), ("plain Python, first million lines", NAIVE)):
                report(name, [run(script, plain, small)], plain)


def write_padded(path: Path, lines: int) -> None:
    """Jobs of a synthetic NetBatch month with every field padded to a fixed width, as the Archive's logs are."""
    import numpy as np
    import polars as pl

    from loadmaster.traces import generate_netbatch

    work = generate_netbatch("A", jobs=lines, seed=1).workload
    unknown = np.full(lines, -1)
    memory = (work.demand[:, 1] / work.demand[:, 0] / 1024).astype(np.int64)
    fields = [
        work.job_id,
        work.submit_s,
        unknown,
        work.runtime_s,
        work.demand[:, 0],
        work.runtime_s,
        memory // 2,
        work.demand[:, 0],
        unknown,
        memory,
        np.ones(lines),
        work.user,
        work.project,
        unknown,
        unknown,
        unknown,
        unknown,
        unknown,
    ]
    with path.open("wb") as file:
        file.write(b"; Version: 2.2\n; Synthetic: padded log for timing\n")
        for start in range(0, lines, 500_000):
            part = slice(start, start + 500_000)
            columns = {
                str(k): pl.Series(field[part].astype(np.int64)).cast(pl.String).str.pad_start(width)
                for k, (field, width) in enumerate(zip(fields, WIDTHS, strict=True))
            }
            pl.DataFrame(columns).write_csv(file, separator=" ", include_header=False, quote_style="never")


def pack(source: Path, target: Path) -> None:
    from isal import igzip_threaded

    with source.open("rb") as file, igzip_threaded.open(target, "wb", threads=1) as packed:
        while block := file.read(1 << 22):
            packed.write(block)


def run(script: str, path: Path, small: Path) -> tuple[int, float, float] | None:
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", script, str(path), str(small)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        print(f"  not run: {done.stderr.strip().splitlines()[-1]} ({time.perf_counter() - started:.0f} s)")
        return None
    jobs, seconds, peak = json.loads(done.stdout)
    return jobs, seconds, peak


def report(name: str, runs: list[tuple[int, float, float] | None], path: Path) -> None:
    good = [r for r in runs if r is not None]
    if not good:
        return
    seconds = [r[1] for r in good]
    median = statistics.median(seconds)
    size = path.stat().st_size / 1e9
    spread = f"of {len(good)}: {min(seconds):.2f}-{max(seconds):.2f}"
    rate = good[0][0] / median / 1e6
    peak = max(r[2] for r in good)
    print(f"{name}: {good[0][0]:,} jobs, {median:.2f} s ({spread}), {rate:.2f} M/s, peak {peak:,.0f} MB, {size:.2f} GB")


if __name__ == "__main__":
    main()
