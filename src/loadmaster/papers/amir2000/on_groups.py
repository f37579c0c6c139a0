"""PVM against Enhanced PVM for real: commands that compute, on two unequal machines within this computer.

The paper's cluster is not at hand. Two control groups with quotas of CPU stand for two machines of one core, one five
times as fast as the other; all commands of a stream come at one moment and are placed one after another. With two
machines the base of the cost is 2, so that Enhanced PVM leaves a machine empty that is less than half as fast. For
commands that come at one moment that ties with round robin at three to one, and is better beyond.
"""

import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from loadmaster.live.cgroup.command import outcome_in
from loadmaster.live.cgroup.engine import CgroupEngine
from loadmaster.live.session.clocks import RealClock
from loadmaster.live.shares.batch import Batch
from loadmaster.live.shares.config import SharesConfig
from loadmaster.live.shares.method_names import share_method_named
from loadmaster.live.shares.run_under_shares import run_under_shares
from loadmaster.model import Cluster, Workload
from loadmaster.model.arrays import Floats, Ints
from loadmaster.model.errors import LoadmasterError
from loadmaster.model.units import CORES, GB, MEMORY
from loadmaster.papers.claim import SIZE, Claim, equals, exceeds, exceeds_by
from loadmaster.papers.estimate import mean_of
from loadmaster.scheduling.time_shared import METHODS
from loadmaster.sim.timeshared.problem import TimesharedProblem
from loadmaster.sim.timeshared.reference import replay_timeshared

WHERE = "Table 2, Figure 5"
MACHINES = Cluster((CORES, MEMORY), np.tile([1.0, 1.0 * GB], (2, 1)), ("large", "small"), np.array([0.75, 0.15]))
LARGE = 0
COMMANDS = 6
WORK_S = (0.15, 0.4)
"""CPU seconds of a command, drawn evenly between these."""
MEMORY_GB = (0.01, 0.1)
STREAMS = 4
LOOK_S = 0.05


@dataclass(frozen=True, eq=False)
class Placed:
    """One stream of N commands under one method.

    Attributes:
        work_s: float64[N], CPU seconds that each was made to take.
        host: int32[N], the machine that it had; simulated_host: in the simulator.
        slowdown: float64[N], time over work; simulated: in the simulator.
        cpu_s: float64[N], CPU seconds that it had, as the kernel counted them.
    """

    work_s: Floats
    host: Ints
    simulated_host: Ints
    slowdown: Floats
    simulated: Floats
    cpu_s: Floats

    @property
    def on_large(self) -> float:
        """The part of all CPU time that the larger machine gave."""
        return float(self.cpu_s[self.host == LARGE].sum() / self.cpu_s.sum())


def measured(
    seed: int, streams: int = STREAMS, progress: Callable[[int], None] = lambda _: None
) -> list[tuple[Placed, Placed]]:
    """The same streams under PVM and under Enhanced PVM, one after another.

    Args:
        seed: of the first stream.
        streams: how many.
        progress: called with 1 after each run.

    Raises:
        InputError: no control groups can be made here.
        LoadmasterError: a command failed, which tells nothing of the methods.
    """
    found = []
    for number in range(streams):
        rng = np.random.default_rng((seed, number))
        work_s, memory = rng.uniform(*WORK_S, COMMANDS), rng.uniform(*MEMORY_GB, COMMANDS) * GB
        pair = []
        for method in ("pvm", "e-pvm"):
            pair.append(_placed(work_s, memory, method))
            progress(1)
        found.append((pair[0], pair[1]))
    return found


def _placed(work_s: Floats, memory: Floats, method: str) -> Placed:
    demand = np.column_stack((np.ones(len(work_s)), np.floor(memory)))
    texts = tuple(_burning(float(each)) for each in work_s)
    batch = Batch(texts, tuple(str(row + 1) for row in range(len(work_s))), demand, MACHINES)
    with tempfile.TemporaryDirectory(prefix="loadmaster-") as name:
        folder = Path(name)
        engine = CgroupEngine(batch, folder)
        try:
            terms = SharesConfig(folder, share_method_named(method), interval_s=LOOK_S)
            report, _ = run_under_shares(engine, RealClock(), batch, terms)
        finally:
            engine.close()
        if report.ended == "stopped":
            raise KeyboardInterrupt
        outcomes = [outcome_in(engine.place(each)) for each in batch.ids]
    rows = [each for each in outcomes if each is not None and each["exit_code"] == 0]
    if len(rows) < len(outcomes):
        raise LoadmasterError(f"{len(outcomes) - len(rows)} commands that only compute failed on this machine")
    assert MACHINES.speed is not None
    work = Workload(MACHINES.resources, np.zeros(len(work_s)), work_s, demand)
    run = replay_timeshared(TimesharedProblem(work, MACHINES, METHODS[method]))
    return Placed(
        work_s,
        np.array([MACHINES.names.index(each["machine"]) for each in rows], np.int32),
        run.first_host,
        np.array([each["seconds"] for each in rows]) / work_s,
        run.end_s / work_s,
        np.array([each["cpu_s"] for each in rows], np.float64),
    )


def _burning(work_s: float) -> str:
    """A command that takes so much CPU time, however long that lasts."""
    return f"exec {sys.executable} -ISc 'import time\nwhile time.process_time() < {work_s}: pass'"


def claims(found: list[tuple[Placed, Placed]]) -> list[Claim]:
    """The real cluster's claim on the two that never move, on two control groups."""
    better = np.array([pvm.slowdown.mean() - e_pvm.slowdown.mean() for pvm, e_pvm in found])
    simulated = np.mean([pvm.simulated.mean() - e_pvm.simulated.mean() for pvm, e_pvm in found])
    large = np.array([[pvm.on_large, e_pvm.on_large] for pvm, e_pvm in found])
    same = [
        host == other
        for pair in found
        for each in pair
        for host, other in zip(each.host, each.simulated_host, strict=True)
    ]
    difference, more = mean_of(better), mean_of(large[:, 1] - large[:, 0])
    machines = "two control groups of 0.75 and 0.15 cores (at 3 to 1 they tie)"
    note = f"{machines}, {COMMANDS} commands a stream, all at one moment; theirs came over time and lacked memory"
    means = large.mean(axis=0)
    return [
        Claim(
            WHERE,
            "Enhanced PVM does better than PVM, for real",
            "19.8 > 12.3",
            f"difference {difference.show()}",
            exceeds_by(difference, 19.8 - 12.3),
            f"the interval of the paired difference lies above 0; size within {SIZE:.0%}",
            difference.n,
            f"{note}; simulated {simulated:.2f}",
        ),
        Claim(
            WHERE,
            "because it gives more of the work to the faster machine",
            "",
            f"{means[1]:.0%} of CPU time in place of {means[0]:.0%}",
            exceeds(more),
            "the paired difference is positive and its interval excludes 0",
            more.n,
            "as the kernel counts it",
        ),
        Claim(
            WHERE,
            "real commands are placed where the simulator places them",
            "",
            f"{sum(same)} of {len(same)} commands",
            equals(float(np.mean(same)), 1.0),
            "all of them",
            len(same),
        ),
    ]


def without() -> Claim:
    """Its place in the table where it was not requested."""
    return Claim(
        WHERE,
        "Enhanced PVM does better than PVM, for real",
        "19.8 > 12.3",
        "",
        "not measured",
        note="--live runs commands on two control groups of this machine",
    )
