"""Compiles what decisions need before the first decision depends on it."""

from contextlib import suppress
from typing import Any

from loadmaster.live.queue.ledger import Ledger
from loadmaster.live.queue.listing import Listing, listing_of
from loadmaster.live.queue.rows import state_of
from loadmaster.live.session.engine import HELD, NOWHERE, Observation
from loadmaster.scheduling import Scheduler
from loadmaster.scheduling.scheduler import WORTHWHILE


def compile_for(
    scheduler: Scheduler, seen: Observation, *, long_queues: bool, origin_s: float = 0.0, seed: int = 0
) -> None:
    """Decide once for nothing on what is there, so that compiling is not taken for deciding.

    Args:
        scheduler: whose decisions are to be compiled.
        seen: an observation of the engine.
        long_queues: also what only a long queue needs.
        origin_s: the moment that cycles are counted from.
        seed: of the draws of policies.
    """
    listing = listing_of(seen)
    for each in (listing, with_long_queue(listing)) if long_queues else (listing,):
        with suppress(Exception):  # a rule that fails is dealt with where it counts
            trial = Ledger(scheduler.discipline.order, origin_s, seed)
            trial.see(each, max(0.0, each["at_s"] - origin_s))
            if (snapshot := trial.snapshot()) is not None:
                scheduler.decide(snapshot)


_FREE = {"hold": 0, "depends": "", "eligible_s": 0.0}
"""Of columns that keep a job from starting, what does not."""


def with_long_queue(listing: Listing) -> Listing:
    """The listing with so many waiting jobs more that a decision on it is made compiled; all like one that is there."""
    hosts = len(listing["cluster"]["names"])
    example = _example(listing)
    jobs = {f"made up {k}": example for k in range(WORTHWHILE // max(1, hosts) + 1)}
    return {**listing, "jobs": {**listing["jobs"], **jobs}}


def _example(listing: Listing) -> dict[str, Any]:
    """A job that waits and may start: one that is there, else one of a minute on one core."""
    there = listing["jobs"].values()
    row = next((row for row in there if state_of(row) == HELD and not row.get("hold")), next(iter(there), None))
    if row is None:
        demand = [1.0, *(0.0 for _ in listing["cluster"]["resources"][1:])]
        row = {"demand": demand, "runtime_s": 60.0, "estimate_s": 60.0, "state": [HELD]}
    tasks = len(row["state"])
    waits: dict[str, list[Any]] = {"state": [HELD] * tasks, "host": [NOWHERE] * tasks, "pin": [NOWHERE] * tasks}
    if "start_s" in row:
        waits["start_s"] = ["nan"] * tasks
    free = {name: value for name, value in _FREE.items() if name in row}
    return {**row, **free, **waits, "submit_s": listing["at_s"]}
