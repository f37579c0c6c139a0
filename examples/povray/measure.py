"""Render every tile alone, one after another, and write how long each took: a bag file for `loadmaster size`."""

import argparse
import csv
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tiles import commands


def measure(out: Path, width: int, side: int) -> None:
    """Write `tile,duration_s,wall_s` to `out`; `duration_s` is CPU time, which other load on the machine spares."""
    with tempfile.TemporaryDirectory() as folder, out.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["tile", "duration_s", "wall_s"])
        for tile, command in enumerate(commands(Path(folder), width, side)):
            began = time.perf_counter()
            child = subprocess.Popen(command.split(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            _, status, usage = os.wait4(child.pid, 0)
            if status != 0:
                sys.exit(f"tile {tile} failed: {command}")
            wall_s = time.perf_counter() - began
            rows.writerow([tile, f"{usage.ru_utime + usage.ru_stime:.3f}", f"{wall_s:.3f}"])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path, help="the CSV file to write")
    parser.add_argument("--width", type=int, default=1024, help="points across the picture")
    parser.add_argument("--side", type=int, default=16, help="tiles across the picture")
    arguments = parser.parse_args()
    if shutil.which("povray") is None:
        sys.exit("povray is not installed; on Debian: apt-get install povray")
    measure(arguments.out, arguments.width, arguments.side)
