"""Shai 2014: a policy of the study is another one, or the cycle behaves otherwise."""

from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import lru_cache
from unittest.mock import patch

from loadmaster.papers.shai2014 import buckets, levels
from loadmaster.papers.shai2014.bucket_claims import bucket_claims
from loadmaster.papers.shai2014.buckets import Matches
from loadmaster.papers.shai2014.choice_claims import choice_claims
from loadmaster.papers.shai2014.load_claims import load_claims
from loadmaster.papers.shai2014.loads import OPEN, RESERVED, run_streams, synthetic_streams
from loadmaster.papers.shai2014.published import TABLE_2_1
from loadmaster.papers.shai2014.setup import READINGS, StudySetup
from loadmaster.place import POLICIES

SETUP = StudySetup(bucket_streams=4, bucket_part=0.001, streams=4, scale=0.02, jobs=3000, betas=(0.58, 1.0))
_RIGHT = levels.run_fully


def _here(work, tasks, watch):
    """A pool of one thread: results of the broken rule go the same way as others."""
    for index, task in enumerate(tasks):
        yield index, work.to_bytes(work.make(work.shared, task, lambda steps: None))


@lru_cache(maxsize=1)
def _streams():
    jobs = {(pool, k): buckets.stream(pool, SETUP, k) for pool in TABLE_2_1 for k in range(SETUP.bucket_streams)}
    return jobs, {pool: synthetic_streams(pool, SETUP) for pool in TABLE_2_1}


def study():
    """A dozen buckets a stream, and small pools under both readings of the cycle."""
    jobs, loads = _streams()
    numbers, pool = range(SETUP.bucket_streams), _here
    matched = {
        name: [
            Matches(name, shape, tuple(buckets.match(jobs[name, k], shape.cluster()) for k in numbers))
            for shape in READINGS
        ]
        for name in TABLE_2_1
    }
    reserved, free = (
        {
            name: run_streams(name, streams, reading, SETUP.warm_up_s, None, pool, lambda steps: None)
            for name, streams in loads.items()
        }
        for reading in (RESERVED, OPEN)
    )
    cycle = [*load_claims(reserved, {}), *choice_claims(reserved, {}), *load_claims(free, {})]
    return [*bucket_claims(matched, ""), *cycle]


def _policy(**other):
    """Other policies under these names, in the buckets and in the runs."""
    named = {name.replace("_", "-"): instead.replace("_", "-") for name, instead in other.items()}

    def run_fully(case, setting, sources, **more):
        return _RIGHT(case, replace(setting, policy=named.get(setting.policy, setting.policy)), sources, **more)

    @contextmanager
    def broken():
        table = {**POLICIES, **{name: POLICIES[instead] for name, instead in named.items()}}
        with ExitStack() as stack:
            stack.enter_context(patch.object(buckets, "POLICIES", table))
            stack.enter_context(patch.object(levels, "run_fully", run_fully))
            yield

    return broken


def _run(change):
    """Another setting in the place of each, in the runs."""
    return lambda: patch.object(
        levels, "run_fully", lambda case, setting, sources, **more: _RIGHT(case, change(setting), sources, **more)
    )


def _worst_member(case, setting, sources, **more):
    """Max-Jobs logs what it found and then starts the schedule of a policy that wastes most."""
    schedule, outcome = _RIGHT(case, setting, sources, **more)
    if setting.policy == "max-jobs":
        schedule = _RIGHT(case, replace(setting, policy="first-fit", interval_s=600.0), sources, **more)[0]
    return schedule, outcome


MUTANTS = {
    "Mix-Fit is anchored at the origin": _policy(mix_fit="mix-fit-origin"),
    "Mix-Fit is Best-Fit-Cores": _policy(mix_fit="best-fit-cores"),
    "Mix-Fit is Worse-Fit-Cores": _policy(mix_fit="worse-fit-cores"),
    "Worse-Fit-Cores takes the fullest": _policy(worse_fit_cores="best-fit-cores"),
    "Worse-Fit-Memory takes the fullest": _policy(worse_fit_memory="best-fit-memory"),
    "Best-Fit-Cores takes the emptiest": _policy(best_fit_cores="worse-fit-cores"),
    "best-fits both take the emptiest": _policy(best_fit_cores="worse-fit-cores", best_fit_memory="worse-fit-memory"),
    "First-Fit takes the emptiest": _policy(first_fit="worse-fit-cores"),
    "Max-Jobs takes the worst member": lambda: patch.object(levels, "run_fully", _worst_member),
    "nobody waits: the arrivals are ten times slower": _run(lambda setting: replace(setting, beta=10 * setting.beta)),
    "Mix-Fit decides every ten minutes": _run(
        lambda setting: replace(setting, interval_s=600.0) if setting.policy == "mix-fit" else setting
    ),
}
