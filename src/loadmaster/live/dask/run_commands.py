"""Runs a bag of shell commands on Dask's workers."""

from collections.abc import Callable, Sequence

from loadmaster.live.bag.config import BagConfig, BagReport
from loadmaster.live.bag.decider import Watch
from loadmaster.live.bag.run_bag import run_bag
from loadmaster.live.dask.engine import DaskEngine
from loadmaster.live.dask.machines import Machines
from loadmaster.live.session.clocks import WokenClock


def run_commands(
    commands: Sequence[str],
    config: BagConfig,
    machines: Machines,
    watch: Watch | None = None,
    say: Callable[[str], None] = print,
) -> BagReport:
    """Run every command that no earlier session has ended, on `machines`; see `run_bag`."""
    clock = WokenClock()
    engine = DaskEngine(machines, commands, config.folder, clock, config.timeout_s)
    return run_bag(engine, clock, commands, config, watch, say)
