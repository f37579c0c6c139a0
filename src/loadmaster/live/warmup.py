"""Has compiled what a decision needs, before any decision depends on it."""

from contextlib import suppress

from loadmaster.live.engine import Observation
from loadmaster.live.ledger import Ledger
from loadmaster.live.listing import listing_of
from loadmaster.live.warmup_listing import with_long_queue
from loadmaster.schedule import Scheduler


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
