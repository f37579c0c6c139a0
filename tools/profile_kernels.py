"""Says in which kernels a command spends its time: `python tools/profile_kernels.py simulate jobs.csv --hosts 64x16c`.

The command runs twice in this process: first so that all kernels are compiled and loaded, then under `perf`, which must
be installed. So it should be one that makes its runs anew, such as `simulate`. `perf` knows only addresses. The files
of Numba's cache hold the same machine code with the names of the functions, so the code around an address is looked
for there. A kernel that was inlined counts for its caller.
"""

import os
import re
import struct
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import redirect_stdout, suppress
from io import StringIO
from pathlib import Path
from shutil import which
from typing import NamedTuple

import numpy as np

from loadmaster.cli import main as loadmaster

SECTION = np.dtype("u4,u4,u8,u8,u8,u8,u4,u4,u8,u8")
"""Of an ELF file of 64 bits: name, type, flags, address, offset, size, link, info, alignment, size of an entry."""
SYMBOL = np.dtype("u4,u1,u1,u2,u8,u8")
"""Name, type, visibility, section, address in the section, size."""
SYMBOL_TABLE, FUNCTION = 2, 2
AROUND, SHOWN = (0, 24, 48, 96, 192, 384), 25
"""How many bytes before an address are tried: code that names other addresses differs from that in the file."""


class Span(NamedTuple):
    """Where a function lies in memory."""

    first: int
    end: int
    name: str


def profile(command: list[str]) -> Iterator[str]:
    """Run the command; one line for each kernel, the dearest first."""
    _run(command)
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "perf.data"
        perf = subprocess.Popen(["perf", "record", "-q", "-F", "1500", "-o", data, "-p", str(os.getpid())])
        time.sleep(1.0)  # until it is attached
        _run(command)
        perf.send_signal(2)
        perf.wait()
        shown = ["perf", "script", "-i", data, "-F", "ip,dso"]
        lines = subprocess.run(shown, capture_output=True, text=True, check=True).stdout.splitlines()
    samples = Counter[str]()
    unknown = Counter[int]()
    for line in lines:
        address, _, where = line.strip().partition(" ")
        if "perf-" in where or "unknown" in where or "anon" in where:
            unknown[int(address, 16)] += 1
        elif address:
            samples[Path(where.strip("() ")).name] += 1
    samples.update(_named(unknown))
    for name, many in samples.most_common(SHOWN):
        yield f"{many / samples.total():6.1%}  {name}"


def _run(command: list[str]) -> None:
    with redirect_stdout(StringIO()), suppress(SystemExit):
        sys.argv = ["loadmaster", *command]
        loadmaster()


def _named(unknown: Counter[int]) -> Counter[str]:
    """Samples by the function that an address lies in."""
    files = [path.read_bytes() for path in _cache().rglob("*.nbc")]
    named, spans = Counter[str](), list[Span]()
    with open("/proc/self/mem", "rb", 0) as memory:
        for address, many in unknown.most_common():
            if not any(span.first <= address < span.end for span in spans):
                spans += _spans_around(memory, address, files)
            name = next((span.name for span in spans if span.first <= address < span.end), "other machine code")
            named[name] += many
    return named


def _cache() -> Path:
    return Path(os.environ.get("NUMBA_CACHE_DIR") or Path(__file__).parents[1] / "src")


def _spans_around(memory, address: int, files: list[bytes]) -> list[Span]:
    """All functions of the object whose machine code lies around that address; none if no file has it."""
    for before in AROUND:
        memory.seek(address - before)
        code = memory.read(24)
        for file in files:
            at = file.find(code)
            if at >= 0 and file.find(code, at + 1) < 0:
                begin = file.rfind(b"\x7fELF", 0, at)
                moved = address - before - (at - begin)
                return [
                    Span(moved + first, moved + first + size, name) for first, size, name in _functions(file[begin:])
                ]
    return []


def _functions(elf: bytes) -> Iterator[tuple[int, int, str]]:
    """Where each function begins in an ELF file, how long it is, and its name."""
    (first,), (many,) = struct.unpack_from("<Q", elf, 0x28), struct.unpack_from("<H", elf, 0x3C)
    sections = np.frombuffer(elf, SECTION, many, first)
    for _, kind, _, _, offset, size, link, *_ in sections.tolist():
        if kind == SYMBOL_TABLE:
            names = int(sections[link]["f4"])
            for name, info, _, section, value, length in np.frombuffer(
                elf, SYMBOL, size // SYMBOL.itemsize, offset
            ).tolist():
                if info & 15 == FUNCTION and length:
                    shown = elf[names + name : elf.index(b"\0", names + name)].decode()
                    yield int(sections[section]["f4"]) + value, length, _readable(shown)


def _readable(mangled: str) -> str:
    """The parts of a name that Numba has mangled.

    Example:
        >>> _readable("_ZN10loadmaster11backfilling11plan_kernel8place_atB4v26B40c8tJ")
        'backfilling.plan_kernel.place_at'
    """
    parts, rest = [], mangled.removeprefix("_ZN")
    while found := re.match(r"\d+", rest):
        end = found.end() + int(found[0])
        parts.append(rest[found.end() : end])
        rest = rest[end:]
    return ".".join(parts[1:]) or mangled


if __name__ == "__main__":
    if not which("perf"):
        sys.exit("perf is not installed; in Debian it is in the package linux-perf")
    print(*profile(sys.argv[1:]), sep="\n")
