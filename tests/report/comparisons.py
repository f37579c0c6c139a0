"""Comparisons made from given numbers, so that tests of what is shown need no run."""

from dataclasses import replace
from functools import lru_cache

from loadmaster.measure import MemberShare
from loadmaster.report.comparison import Comparison
from loadmaster.runs import Setting, Threads, case_of
from loadmaster.runs.sweep import sweep
from loadmaster.traces import generate_netbatch

MEMBERS = tuple(MemberShare(name, 0.9, 0.1, 0.5, 20) for name in ("mix-fit", "best-fit-cores"))


@lru_cache
def template():
    """A real small run, whose numbers are then replaced."""
    case = case_of(generate_netbatch("A", jobs=120, hosts=6, load=1.4, seed=3))
    settings = [Setting("first-fit"), Setting("max-jobs")]
    outcomes = sweep(case, settings, None, Threads(1))
    return case, outcomes[0], outcomes[1]


def with_metrics(outcome, **metrics):
    """The outcome with other values of these metrics."""
    return replace(outcome, metrics=replace(outcome.metrics, **metrics), values=dict(outcome.values) | metrics)


def comparison(waits, baseline="first-fit", **more):
    """`waits`: {(policy, load) or (policy, load, discipline): mean wait in seconds}."""
    case, plain, meta = template()
    outcomes = []
    for key, wait in waits.items():
        policy, load, discipline = (*key, "netbatch")[:3]
        model = meta if policy == "max-jobs" else plain
        model = with_metrics(model, mean_wait_s=wait, mean_queue_length=wait / 10)
        members = MEMBERS if policy == "max-jobs" else ()
        outcomes.append(replace(model, load=load, setting=Setting(policy, discipline), members=members))
    return Comparison(case, outcomes, baseline, ("This log is synthetic.",), "loadmaster compare", **more)
