"""Choices among given patterns: the depth-first search and HiGHS against trying one after the other."""

import numpy as np
import pytest
from cover_plain import least_cost

from loadmaster.packing.certificates import certificates_of, strict_certificate
from loadmaster.packing.column_generation import CheapestHosts, Columns, relax
from loadmaster.packing.deadline import Deadline
from loadmaster.packing.pattern_problem import PatternProblem
from loadmaster.packing.pricing import HostPricing
from loadmaster.packing.whole_patterns import choose, fill_by_value, search_cover


def small_problem(seed):
    """Few kinds of tasks on one or two kinds of hosts, the relaxed program and all full patterns."""
    rng = np.random.default_rng(seed)
    kinds, tasks = 1 + seed % 2, int(rng.integers(2, 5))
    demand = rng.integers(2, 8, (tasks, 2)).astype(float)
    capacity = rng.integers(9, 15, (kinds, 2)).astype(float)
    none = np.zeros(0, np.int64)
    problem = PatternProblem(
        demand,
        rng.integers(1, 5, tasks),
        capacity,
        rng.integers(3, 7, kinds),
        rng.integers(1, 4, kinds).astype(float),
        none,
        none,
    )
    relaxed = relax(problem, Columns(tasks), CheapestHosts(problem), Deadline.after(60))
    patterns = [
        (kind, row)
        for kind in range(kinds)
        for row in HostPricing(problem, kind).patterns_above(np.ones(tasks), 0.0, 10_000)
    ]
    return problem, relaxed, patterns


def test_the_search_finds_a_choice_just_where_there_is_one():
    answers = set()
    for seed in range(60):
        problem, relaxed, patterns = small_problem(seed)
        best = least_cost(problem, patterns)
        for most in (best - 1, best, best + 1) if np.isfinite(best) else (float(problem.price @ problem.hosts),):
            found = search_cover(problem, patterns, certificates_of(problem, relaxed), most, Deadline.after(60), seed)
            assert found.complete == (found.patterns is None)  # a choice that was found may not be the cheapest
            answers.add(found.patterns is None)
            assert (found.patterns is not None) == (best <= most)
            if found.patterns is not None:
                held = sum(tasks for _, tasks in found.patterns)
                used = np.bincount([kind for kind, _ in found.patterns], minlength=problem.kinds)
                assert (held >= problem.count).all()
                assert (used <= problem.hosts).all()
                assert problem.price @ used <= most + 1e-6
    assert answers == {True, False}


def test_highs_chooses_as_cheaply_as_the_plain_search():
    for seed in range(20):
        problem, relaxed, patterns = small_problem(seed)
        best = least_cost(problem, patterns)
        chosen = choose(problem, patterns, relaxed.bound, 1e6, 60)
        assert chosen.complete
        assert (chosen.patterns is not None) == np.isfinite(best)
        if chosen.patterns is not None:
            assert sum(problem.price[kind] for kind, _ in chosen.patterns) == pytest.approx(best)


def test_no_certificate_drops_a_pattern_that_the_best_choice_needs():
    dropped = 0
    for seed in range(60):
        problem, relaxed, patterns = small_problem(seed)
        best = least_cost(problem, patterns)
        if not np.isfinite(best):
            continue
        strict = strict_certificate(problem, patterns, relaxed.bound, best, Deadline.after(60))
        for certificate in (*certificates_of(problem, relaxed), strict):
            assert certificate.bound <= best + 1e-6
            kept = [(k, tasks) for k, tasks in patterns if certificate.keeps(k, tasks[None], best)[0]]
            assert least_cost(problem, kept) == best
            dropped += len(patterns) - len(kept)
    assert dropped > 50


def test_hosts_filled_by_value_hold_every_task_where_there_are_enough():
    placed = 0
    for seed in range(40):
        problem, relaxed, patterns = small_problem(seed)
        filled = fill_by_value(problem, relaxed.dual, Deadline.after(60))
        best = least_cost(problem, patterns)
        if filled is None:
            continue
        placed += 1
        assert (sum(tasks for _, tasks in filled) == problem.count).all()
        assert all(problem.fits(pattern) for pattern in filled)
        used = np.bincount([kind for kind, _ in filled], minlength=problem.kinds)
        assert (used <= problem.hosts).all()
        assert problem.price @ used >= best - 1e-9
    assert placed > 20


def test_a_search_cut_short_says_that_it_does_not_know():
    problem, relaxed, patterns = small_problem(4)
    found = search_cover(problem, patterns, certificates_of(problem, relaxed), 99.0, Deadline.after(-1), 0)
    assert (found.patterns, found.complete) == (None, False)
