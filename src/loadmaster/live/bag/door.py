"""Runs a bag of shell commands for real: what earlier starts left is taken up, and the loop driven by a sizer."""

import math
import time
from collections.abc import Callable, Sequence

from loadmaster.live.bag.budget import BagPurse
from loadmaster.live.bag.config import BagReport, Terms
from loadmaster.live.bag.decider import BagDecider, Watch
from loadmaster.live.bag.earlier_starts import Past, read_past, same_commands
from loadmaster.live.bag.new_events import BagNews
from loadmaster.live.bag.resume import take_up
from loadmaster.live.bag.session_state import BagBooks
from loadmaster.live.engine import Clock, Engine
from loadmaster.live.job_log import JobLog, described
from loadmaster.live.loop import Loop
from loadmaster.live.settings import Report
from loadmaster.sizing import BagLedger


def run_bag(
    engine: Engine, clock: Clock, commands: Sequence[str], terms: Terms, watch: Watch | None = None,
    say: Callable[[str], None] = print,
) -> BagReport:  # fmt: skip
    """Run every command that no earlier session has ended; returns when all have ended for good.

    Args:
        engine: that rents, and runs attempts named `COMMAND.ATTEMPT`; its jobs of earlier sessions are gone.
        clock: the engine's time, 0 now.
        commands: the bag.
        terms: how it is to be run.
        watch: told of every decision.
        say: given what a person should know.

    Raises:
        InputError: the folder belongs to other commands, or another runner is at work there.
        KeyboardInterrupt: passed on after the state is written down; the same call goes on from there.
    """
    log = JobLog(terms.folder / "log.jsonl")
    log.open()
    try:
        past = same_commands(read_past(log), commands, log.path)
        decider = _decider(commands, terms, past, clock, watch or (lambda *_: None), say)
        ended = Loop(engine, clock, decider, log, Report()).run().ended
    finally:
        log.close()
    if ended == "stopped":
        raise KeyboardInterrupt
    return _report(decider, past)


def _decider(
    commands: Sequence[str], terms: Terms, past: Past, clock: Clock, watch: Watch, say: Callable[[str], None]
) -> BagDecider:
    elapsed_s = 0.0 if past.began is None else max(0.0, time.time() - past.began)
    sizer = terms.sizer_after(past.spent, elapsed_s)
    again: list[tuple[int, str]] = []

    def tell(line: int, what: str) -> None:
        again.append((line, what))
        say(f"task {line} {what}")

    adopted = take_up(past, commands, terms, tell, say)
    left = [task for task in range(1, len(commands) + 1) if task not in past.done]
    ledger = BagLedger((terms.kind,), len(left), finished_s=list(past.seconds))
    books = BagBooks(ledger, left, clock, dict(past.attempts))
    session = {
        "session": time.time(), "commands": list(commands), "left": left, "known_s": past.seconds,
        "sizer": described(sizer), "type": described(terms.kind),
    }  # fmt: skip
    money = math.inf if terms.budget is None else terms.budget - past.spent
    news = BagNews(books, terms, say, dict(past.done), again=again)
    return BagDecider(
        books, news, sizer, BagPurse(money, terms.kind), [*adopted, session], watch, past.spent, elapsed_s
    )


def _report(decider: BagDecider, past: Past) -> BagReport:
    books, news = decider.books, decider.news
    unpaid = [line for line in books.line if line not in news.exits]
    idle = {line for line in unpaid if books.attempts.get(line) == past.attempts.get(line)}
    again = [(line, why) for line, why in news.again if line not in idle]  # the money may end before their turn
    elapsed_s = decider.elapsed_before_s + decider.ended_s
    return BagReport(
        news.exits, decider.ended_s, elapsed_s, decider.cost, past.spent, len(books.names), len(past.done), again,
        unpaid, news.left_behind,
    )  # fmt: skip
