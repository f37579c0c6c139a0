"""A program that only computes and counts its rounds: small products of matrices, as in the paper's own check.

Run as a process of its own, by its path: `python burner.py FILE`, where FILE is 16 bytes of shared memory that take the
number of rounds and the CPU time spent, in nanoseconds. Run as a module it would load all of this room.
"""

import mmap
import struct
import sys
import time
from pathlib import Path

import numpy as np

SIDE = 100
"""Rows of each matrix."""


def burn(path: Path) -> None:
    """Multiply until this process is killed."""
    left, right = np.random.default_rng(0).random((2, SIDE, SIDE))
    result = np.empty_like(left)
    with path.open("r+b") as file, mmap.mmap(file.fileno(), 16) as shared:
        rounds = 0
        while True:
            np.dot(left, right, out=result)
            rounds += 1
            shared[:16] = struct.pack("<QQ", rounds, time.process_time_ns())


def read_rounds(path: Path) -> tuple[int, float]:
    """Rounds so far and CPU seconds that they took."""
    rounds, nanoseconds = struct.unpack("<QQ", path.read_bytes()[:16])
    return int(rounds), nanoseconds / 1e9


if __name__ == "__main__":
    burn(Path(sys.argv[1]))
