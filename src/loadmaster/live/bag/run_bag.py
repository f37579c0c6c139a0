"""Runs a bag of shell commands for real: continues earlier starts, and runs the loop with a sizer."""

import math
import time
from collections.abc import Callable, Sequence

from loadmaster.live.bag.budget import BagBudget
from loadmaster.live.bag.config import FILE, BagConfig, BagReport
from loadmaster.live.bag.decider import BagDecider, Watch
from loadmaster.live.bag.earlier_starts import EarlierStarts, read_earlier_starts, same_commands, take_up
from loadmaster.live.bag.new_events import BagUpdates
from loadmaster.live.bag.session_state import BagSessionState
from loadmaster.live.session.engine import Clock, Engine
from loadmaster.live.session.loop import Loop
from loadmaster.live.session.record_file import RecordFile, described
from loadmaster.live.session.report import Report
from loadmaster.sizing import BagLedger


def run_bag(
    engine: Engine,
    clock: Clock,
    commands: Sequence[str],
    config: BagConfig,
    watch: Watch | None = None,
    say: Callable[[str], None] = print,
) -> BagReport:
    """Run every command that no earlier session has ended; returns when all have ended for good.

    Args:
        engine: that rents, and runs attempts named `COMMAND.ATTEMPT`; its jobs of earlier sessions are gone.
        clock: the engine's time, 0 now.
        commands: the bag.
        config: how it is to be run.
        watch: told of every decision.
        say: given what a person should know.

    Raises:
        InputError: the folder belongs to other commands, or another runner is at work there.
        KeyboardInterrupt: passed on after the state is written down; the same call goes on from there.
    """
    with RecordFile(config.folder / FILE) as record:
        earlier = same_commands(read_earlier_starts(record), commands, record.path)
        decider = _decider(commands, config, earlier, clock, watch or (lambda *_: None), say)
        ended = Loop(engine, clock, decider, record, Report()).run().ended
    if ended == "stopped":
        raise KeyboardInterrupt
    return _report(decider, earlier)


def _decider(
    commands: Sequence[str],
    config: BagConfig,
    earlier: EarlierStarts,
    clock: Clock,
    watch: Watch,
    say: Callable[[str], None],
) -> BagDecider:
    elapsed_s = 0.0 if earlier.began is None else max(0.0, time.time() - earlier.began)
    sizer = config.sizer_after(earlier.spent, elapsed_s)
    again: list[tuple[int, str]] = []

    def tell(line: int, what: str) -> None:
        again.append((line, what))
        say(f"task {line} {what}")

    adopted = take_up(earlier, commands, config, tell, say)
    left = [task for task in range(1, len(commands) + 1) if task not in earlier.done]
    ledger = BagLedger((config.kind,), len(left), finished_s=list(earlier.seconds))
    state = BagSessionState(ledger, left, clock, dict(earlier.attempts))
    session = {
        "session": time.time(),
        "commands": list(commands),
        "left": left,
        "known_s": earlier.seconds,
        "sizer": described(sizer),
        "type": described(config.kind),
    }
    money = math.inf if config.budget is None else config.budget - earlier.spent
    updates = BagUpdates(state, config, say, dict(earlier.done), again=again)
    return BagDecider(
        state, updates, sizer, BagBudget(money, config.kind), [*adopted, session], watch, earlier.spent, elapsed_s
    )


def _report(decider: BagDecider, earlier: EarlierStarts) -> BagReport:
    state, updates = decider.state, decider.updates
    unpaid = [line for line in state.line if line not in updates.exits]
    idle = {line for line in unpaid if state.attempts.get(line) == earlier.attempts.get(line)}
    again = [(line, why) for line, why in updates.again if line not in idle]  # the money may end before their turn
    elapsed_s = decider.elapsed_before_s + decider.ended_s
    return BagReport(
        updates.exits,
        decider.ended_s,
        elapsed_s,
        decider.cost,
        earlier.spent,
        len(state.names),
        len(earlier.done),
        again,
        unpaid,
        updates.left_behind,
    )
