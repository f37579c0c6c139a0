"""How well caps are kept: effective rate against cap times the raw rate, delay of a change, cost of being capped.

The protocol of Stillwell et al. 2009, section 7, with control groups in the place of Xen's virtual machines: one to ten
programs that only compute share one core; what each computes is counted in its own rounds. The raw rate is that of a
program alone without a cap, in rounds for each second of CPU: the mean of just before and just after each set, since
the speed of a core changes within a minute by more than a cap errs (by a tenth, on virtual machines). The groups come
before all else that runs on the core.
"""

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from loadmaster.live.cgroup.groups import ControlGroup, make_group
from loadmaster.papers.casanova2008 import burner
from loadmaster.papers.casanova2008.burner import read_rounds

SETS: tuple[tuple[float, ...], ...] = (
    (0.1,), (0.3,), (0.5,), (0.9,), (0.1, 0.8), (0.25, 0.5), (0.45, 0.45), (0.1, 0.2, 0.3), (0.3, 0.3, 0.3),
    (0.1, 0.2, 0.25, 0.35), (0.2,) * 4, (0.05, 0.1, 0.15, 0.2, 0.3), (0.15,) * 6, (0.05, 0.1) * 4, (0.09,) * 10,
)  # fmt: skip
"""Caps of programs that run side by side on one core, less than all of it together."""
SETTLE_S = 0.4
STEP_S = 0.05


@dataclass(frozen=True)
class CapMeasurement:
    """One program under one cap; all in cores.

    Attributes:
        together: how many ran beside each other.
        cap: what it might have.
        rate: its rounds a second over the raw rate: the effective share.
        used: CPU seconds a second, as the kernel counted them.
    """

    together: int
    cap: float
    rate: float
    used: float

    @property
    def error(self) -> float:
        """Percentage points of a core between the effective share and the cap."""
        return 100.0 * (self.rate - self.cap)


@dataclass(frozen=True)
class Accuracy:
    """What was measured.

    Attributes:
        kept: every program of every set.
        slowdown: rounds for each CPU second under a cap against those without, 0.01 is one percent slower.
        answers_s: seconds until the effective share was within 5 points of a changed cap, one a change.
        core: the core on which it was done.
        busy: what others took of that core meanwhile, of 1.
    """

    kept: tuple[CapMeasurement, ...]
    slowdown: float
    answers_s: tuple[float, ...]
    core: int
    busy: float

    @property
    def largest_error(self) -> float:
        """Largest |error|, percentage points of a core."""
        return max(abs(each.error) for each in self.kept)


def measure(
    sets: Sequence[Sequence[float]] = SETS,
    span_s: float = 2.0,
    core: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Accuracy:
    """Run the programs on one core of this machine.

    Args:
        sets: the caps of the programs that run side by side.
        span_s: seconds that each set is watched.
        core: None for the last that this process may use.
        progress: told of (sets done, sets in all).

    Raises:
        InputError: no control groups can be made here.
    """
    core = max(os.sched_getaffinity(0)) if core is None else core
    measurements: list[CapMeasurement] = []
    expected = rounds = ours = 0.0
    with _programs(["alone"], core) as (alone,):
        busy, begun = _core_busy_s(core), time.monotonic()
        before = alone.raw_rate(span_s / 2)
        for done, caps in enumerate(sets):
            with _programs(range(len(caps)), core) as programs:
                for program, cap in zip(programs, caps, strict=True):
                    program.group.cap(cap)
                time.sleep(SETTLE_S)
                watched = _watched(programs, span_s)
                ours += sum(program.group.used_s() for program in programs)
            after = alone.raw_rate(span_s / 2)
            raw = (before + after) / 2
            measurements += [
                CapMeasurement(len(caps), cap, each.rounds / each.wall_s / raw, each.share)
                for each, cap in zip(watched, caps, strict=True)
            ]
            expected += raw * sum(each.cpu_s for each in watched)
            rounds += sum(each.rounds for each in watched)
            before = after
            if progress is not None:
                progress(done + 1, len(sets))
        ours += alone.group.used_s()
        others = (_core_busy_s(core) - busy - ours) / (time.monotonic() - begun)
        with alone.running():
            answers = tuple(alone.answer_s(cap, before) for cap in (0.2, 0.8, 0.4, 0.6, 0.1, 0.9))
    return Accuracy(tuple(measurements), 1.0 - rounds / expected, answers, core, max(0.0, others))


@dataclass(frozen=True)
class _Watched:
    rounds: int
    cpu_s: float
    wall_s: float

    @property
    def share(self) -> float:
        """CPU seconds a second."""
        return self.cpu_s / self.wall_s


@dataclass(frozen=True)
class _Program:
    group: ControlGroup
    shared: Path
    pid: int

    def raw_rate(self, span_s: float) -> float:
        """Rounds for each second of CPU; the program runs while it is watched."""
        with self.running():
            time.sleep(SETTLE_S)
            (seen,) = _watched([self], span_s)
        return seen.rounds / seen.cpu_s

    @contextmanager
    def running(self) -> Iterator[None]:
        """Go on inside, stand still outside."""
        os.kill(self.pid, signal.SIGCONT)
        try:
            yield
        finally:
            os.kill(self.pid, signal.SIGSTOP)

    def answer_s(self, cap: float, raw: float) -> float:
        """Seconds until its share over the last `STEP_S` x 2 is within 5 points of a new cap; 5 at most."""
        self.group.cap(cap)
        begun = time.monotonic()
        marks = [(begun, read_rounds(self.shared)[0])]
        while time.monotonic() - begun < 5.0:
            time.sleep(STEP_S)
            marks.append((time.monotonic(), read_rounds(self.shared)[0]))
            (t0, r0), (t1, r1) = marks[-3 if len(marks) > 2 else 0], marks[-1]
            if len(marks) > 2 and abs((r1 - r0) / (t1 - t0) / raw - cap) <= 0.05:
                return t1 - begun
        return 5.0


def _watched(programs: Sequence[_Program], span_s: float) -> list[_Watched]:
    before = [(time.monotonic(), read_rounds(program.shared)) for program in programs]
    time.sleep(span_s)
    after = [(time.monotonic(), read_rounds(program.shared)) for program in programs]
    return [_Watched(r1 - r0, c1 - c0, t1 - t0) for (t0, (r0, c0)), (t1, (r1, c1)) in zip(before, after, strict=True)]


@contextmanager
def _programs(names: Iterable[object], core: int) -> Iterator[list[_Program]]:
    """A program for each name on one core, computing, each in a group of its own; gone at the end."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="loadmaster-")))
        programs = []
        for name in names:
            shared = folder / str(name)
            shared.write_bytes(bytes(16))
            group = make_group(f"loadmaster-{os.getpid()}-{name}")
            stack.callback(group.remove)
            group.favour()
            process = subprocess.Popen(
                [sys.executable, "-P", burner.__file__, str(shared)],
                env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"},
                stdin=subprocess.DEVNULL,
            )
            stack.callback(_end, process)
            os.sched_setaffinity(process.pid, {core})
            group.add(process.pid)
            programs.append(_Program(group, shared, process.pid))
        while not all(read_rounds(program.shared)[0] for program in programs):
            time.sleep(0.01)
        yield programs


def _end(process: "subprocess.Popen[bytes]") -> None:
    process.kill()
    process.wait()


def _core_busy_s(core: int) -> float:
    """Seconds for which any process has kept the core busy."""
    line = next(line for line in Path("/proc/stat").read_text().splitlines() if line.startswith(f"cpu{core} "))
    user, nice, system, _idle, _wait, *rest = (int(word) for word in line.split()[1:])
    return (user + nice + system + sum(rest[:2])) / os.sysconf("SC_CLK_TCK")
