"""An order whose jobs come one after the other remembers what it would have known had it known them all."""

from dataclasses import dataclass

import numpy as np
import pytest
from fake_runs import made_jobs
from hypothesis import given
from hypothesis import strategies as st

from loadmaster.live.queue.order_state import OrderState
from loadmaster.model import Account, Cluster, InputError, SiteRules
from loadmaster.order.order import IgnoresEvents
from loadmaster.scheduling import discipline_named

ACCOUNTS = tuple(row for name in "012" for row in (Account(name), *(Account(name, user) for user in "01234")))
SITE = Cluster(("cores", "memory"), np.full((2, 2), 8.0), rules=SiteRules(accounts=ACCOUNTS))


def rows_of(workload):
    return {
        str(job): {
            "submit_s": float(workload.submit_s[job]),
            "runtime_s": float(workload.expected_s[job]),
            "estimate_s": float(workload.expected_s[job]),
            "demand": workload.demand[job].tolist(),
            "tasks": int(workload.task_count[job]),
            "user": int(workload.user[job]),
            "project": int(workload.project[job]),
        }
        for job in range(workload.jobs)
    }


@given(
    seed=st.integers(0, 10_000),
    order=st.sampled_from(
        ["multifactor(calc_period=20)", "multifactor(form=classic, calc_period=20)", "fair-share", "wfp3"]
    ),
)
def test_ranks_and_needs_are_those_of_a_ranking_that_knew_all_jobs(seed, order):
    workload = made_jobs(12, seed, every_s=10.0, longest_s=60)
    begun = discipline_named(order).order
    memory, whole = OrderState(begun), begun.begin(workload, SITE)
    rows, names = rows_of(workload), {"user": [], "account": []}
    ticked_s, running, here = 0.0, {}, {}
    for job in range(workload.jobs):
        now_s = float(workload.submit_s[job])
        for other in sorted([each for each, end_s in running.items() if end_s <= now_s], key=running.get):
            end_s = running.pop(other)
            while ticked_s + whole.period_s < end_s:
                whole.tick(ticked_s := ticked_s + whole.period_s)
            memory.ended(str(other), end_s)
            whole.ended(other, end_s)
            here.pop(str(other))
        here[str(job)] = rows[str(job)]
        memory.know(here, SITE, names)
        memory.tick(now_s)
        while ticked_s + whole.period_s <= now_s:
            whole.tick(ticked_s := ticked_s + whole.period_s)
        memory.submitted(str(job), now_s)
        whole.submitted(job, now_s)
        jobs = np.array([int(name) for name in here])
        want, got = whole.ranks(jobs, now_s), memory.ranks(list(here), now_s)
        assert np.array_equal(want, got) if want is not None else got is None
        want, got = whole.need(jobs), memory.need(list(here))
        assert (want is None) == (got is None)
        assert want is None or want.used[want.group].tolist() == got.used[got.group].tolist()
        if job % 2 == 0:
            memory.started(str(job), now_s)
            whole.started(job, now_s)
            running[job] = now_s + float(workload.runtime_s[job])


def test_an_order_of_ones_own_that_cannot_take_its_memory_along_is_refused_by_name():
    class Counting:
        period_s, tick, submitted, started, ended = (
            float("inf"),
            IgnoresEvents.tick,
            IgnoresEvents.submitted,
            None,
            None,
        )

    @dataclass(frozen=True)
    class Own:
        name: str = "my-order"

        def begin(self, workload, cluster):
            return Counting()

    memory, rows = OrderState(Own()), rows_of(made_jobs(2, 0))
    memory.know({"0": rows["0"]}, SITE, {"user": [], "account": []})
    with pytest.raises(InputError, match=r"my-order.*cannot take its memory.*resume"):
        memory.know(rows, SITE, {"user": [], "account": []})
