"""Use that fades (rule O11): the worked example, and what must hold of any run."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadmaster.order.multifactor.ledger import new_ledger, start_charging, stop_charging, tick_ledger

HALF_LIFE_S = 3600.0


def usage_at_ticks(runs, ticks, *, exact=False, half_life_s=HALF_LIFE_S, reset_s=np.inf, charge=8.0):
    """Usage of one user after each tick; `runs` are (from, to) of one job each."""
    jobs = len(runs)
    ledger = new_ledger(1, np.zeros(jobs, np.int32), np.full(jobs, charge), half_life_s, reset_s, exact)
    told = [(start, 2, job) for job, (start, _) in enumerate(runs)] + [
        (end, 0, job) for job, (_, end) in enumerate(runs)
    ]
    found = []
    for time_s, what, job in sorted([*told, *((tick, 1, -1) for tick in ticks)]):
        if what == 1:
            tick_ledger(ledger, time_s)
            found.append(float(ledger.usage[0]))
        else:
            (start_charging if what else stop_charging)(ledger, job, time_s)
    return found


def test_slurm_discounts_a_whole_period_as_used_at_its_start():
    found = usage_at_ticks([(100.0, 1000.0)], range(300, 2101, 300))
    assert found == pytest.approx([1539.565, 3718.4792, 5775.114, 6191.7247, 5844.2491, 5516.2736, 5206.7039], abs=6e-5)


def test_exactly_every_second_fades_by_its_own_age():
    found = usage_at_ticks([(100.0, 1000.0)], range(300, 2101, 300), exact=True)
    assert found == pytest.approx(
        [1569.5851, 3813.4919, 5931.4579, 6360.9664, 6003.9528, 5666.9768, 5348.9139], abs=6e-5
    )


def test_without_a_half_life_use_is_what_was_used():
    assert usage_at_ticks([(100.0, 1000.0), (50.0, 60.0)], [300, 600, 1200], half_life_s=0.0) == [
        1680.0,
        4080.0,
        7280.0,
    ]


def test_a_reset_forgets_all_but_what_ran_since_the_last_tick():
    found = usage_at_ticks([(0.0, 1000.0)], [300, 600, 900], half_life_s=0.0, reset_s=600.0, charge=1.0)
    assert found == [300.0, 300.0, 600.0]


runs = st.lists(st.tuples(st.integers(0, 2000), st.integers(1, 1500)), min_size=1, max_size=8)


@given(runs, st.integers(1, 7))
def test_the_exact_use_does_not_depend_on_when_it_is_reckoned(runs, often):
    spans = [(float(start), float(start + length)) for start, length in runs]
    last = 4000.0
    coarse = usage_at_ticks(spans, [last], exact=True)[-1]
    fine = usage_at_ticks(spans, np.arange(last / often, last + 1, last / often), exact=True)[-1]
    assert fine == pytest.approx(coarse, rel=1e-9)


@given(runs)
def test_slurm_never_counts_more_than_what_was_used(runs):
    spans = [(float(start), float(start + length)) for start, length in runs]
    used = 8.0 * sum(end - start for start, end in spans)
    assert 0.0 < usage_at_ticks(spans, range(300, 4201, 300))[-1] < used
