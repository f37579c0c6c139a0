"""Selective backfilling (rule Q17): who has waited long for its length is promised something, others are not."""

from small_queues import starts_of

JOBS = {"cores": [2, 4, 2, 2], "runtime_s": [10, 10, 20, 10], "submit_s": [0, 0, 0, 12]}


def test_before_its_factor_is_reached_a_blocked_job_is_overtaken():
    # At 0 job 1 has waited for nothing, so job 2 starts beside job 0; at 20 it has the factor 3 and starts.
    assert starts_of("selective(expansion=2)", 4, **JOBS) == [0, 20, 0, 30]


def test_from_its_factor_on_it_keeps_its_place():
    # At 12 its factor is 2.2: with the bound 2 job 3 must not pass it (12 + 10 > 20), with the bound 3 it may.
    assert starts_of("selective(expansion=3)", 4, **JOBS) == [0, 22, 0, 12]


def test_a_bound_of_one_promises_something_to_everyone():
    assert starts_of("selective(expansion=1)", 4, **JOBS) == starts_of("stepwise(depth=all)", 4, **JOBS)
