"""The answer in one sentence."""

from dataclasses import replace

from comparisons import comparison

from loadmaster.report.answer import answer


def test_the_answer_names_the_best_policy_and_how_much_less_one_waits():
    shown = comparison({("first-fit", 0.9): 1000.0, ("mix-fit", 0.9): 780.0})
    assert (
        answer(shown)
        == "mix-fit has the lowest mean wait on this log: 22 % less than first-fit (13 min, not 16.7 min)."
    )


def test_the_answer_says_so_where_the_baseline_is_the_best():
    shown = comparison({("first-fit", 0.9): 1000.0, ("mix-fit", 0.9): 1500.0, ("random", 0.9): 1100.0})
    assert answer(shown) == "first-fit has the lowest mean wait on this log: the next, random, waits 10 % more."


def test_the_answer_names_those_that_do_as_well():
    waits = {("first-fit", 0.9): 100.0, ("mix-fit", 0.9): 60.0, ("norm-greedy", 0.9): 60.3, ("random", 0.9): 120.0}
    text = answer(comparison(waits))
    assert text == (
        "mix-fit has the lowest mean wait on this log, norm-greedy within 1 % of it: 40 % less than first-fit "
        "(1 min, not 1.67 min)."
    )
    ties = {("first-fit", 0.9): 15.0, ("mix-fit", 0.9): 15.0, ("random", 0.9): 18.0}
    assert answer(comparison(ties)) == (
        "first-fit has the lowest mean wait on this log, mix-fit within 1 % of it: the next, random, waits 20 % more."
    )


def test_the_answer_does_not_choose_where_there_is_nothing_to_choose():
    shown = comparison({("first-fit", 0.9): 1000.0, ("mix-fit", 0.9): 995.0})
    assert (
        answer(shown) == "The choice hardly matters on this log: all policies wait within 1 % of first-fit's 16.7 min."
    )


def test_with_several_loads_the_answer_is_for_the_highest_and_says_how_far_it_holds():
    waits = {("first-fit", 0.7): 90.0, ("mix-fit", 0.7): 99.0, ("first-fit", 0.9): 1000.0, ("mix-fit", 0.9): 500.0}
    text = answer(comparison(waits))
    assert "50 % less than first-fit (8.33 min, not 16.7 min), at load 0.90" in text
    assert text.endswith("it is the lowest or within 1 % of it at 1 of 2 loads.")


def test_with_several_disciplines_the_answer_compares_them_and_policies_in_one_unit():
    waits = {("first-fit", 0.9, "fcfs"): 1000.0, ("mix-fit", 0.9, "fcfs"): 900.0}
    waits |= {("first-fit", 0.9, "netbatch"): 800.0, ("mix-fit", 0.9, "netbatch"): 400.0}
    assert answer(comparison(waits)) == (
        "mix-fit under netbatch has the lowest mean wait on this log: 60 % less than first-fit under fcfs (6.67 min, "
        "not 16.7 min)."
    )


def test_disciplines_of_one_policy_are_compared_by_their_own_names():
    shown = comparison({("first-fit", 0.9, "fcfs+easy"): 1000.0, ("first-fit", 0.9, "lxf+easy"): 900.0})
    assert answer(shown) == (
        "lxf+easy has the lowest mean wait on this log: 10 % less than fcfs+easy (15 min, not 16.7 min)."
    )


def test_a_single_run_is_told_without_a_comparison():
    assert answer(comparison({("first-fit", 0.9): 100.0})).startswith("Under first-fit a job waits 1.67 min on average")


def test_a_run_that_left_more_jobs_waiting_for_ever_is_named_and_not_compared():
    shown = comparison({("first-fit", 0.9): 1000.0, ("mix-fit", 0.9): 5.0, ("random", 0.9): 2000.0})
    lost = replace(shown.outcomes[1], metrics=replace(shown.outcomes[1].metrics, unstarted=3))
    shown = replace(shown, outcomes=[shown.outcomes[0], lost, shown.outcomes[2]])
    assert answer(shown) == ("mix-fit leaves more jobs waiting for ever; of the rest, first-fit waits least, 16.7 min.")


def test_nobody_waiting_is_no_division_by_zero():
    shown = comparison({("first-fit", 0.9): 0.0, ("mix-fit", 0.9): 0.0})
    assert "hardly matters" in answer(shown)
    nobody = answer(comparison({("first-fit", 0.9): 0.0, ("mix-fit", 0.9): 5.0}))
    assert nobody.startswith("first-fit has the lowest mean wait on this log")


def test_the_answer_compares_no_waits_where_no_job_starts():
    shown = comparison({("first-fit", 0.9): 0.0, ("mix-fit", 0.9): 0.0})
    jobs = shown.case.workload.jobs
    outcomes = [replace(each, metrics=replace(each.metrics, unstarted=jobs)) for each in shown.outcomes]
    assert answer(replace(shown, outcomes=outcomes)) == "No job starts under any rule, so there is no wait to compare."
