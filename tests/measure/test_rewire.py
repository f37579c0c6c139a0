"""Dependencies of a drawn log name drawn jobs of the same copy; those that cannot are cut and counted."""

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from loadmaster.measure.resample import WEEK_S, shake, users, weeks
from loadmaster.measure.rewire import rewired
from loadmaster.model import Constraints, Dependencies, Workload


def chained(user, texts, submit_s=None, **more):
    jobs = len(texts)
    bound = Constraints(depends=Dependencies.of(texts), **more)
    submit_s = np.linspace(0, 5 * WEEK_S, jobs) if submit_s is None else submit_s
    return Workload.of(
        submit_s=submit_s,
        runtime_s=1.0 + np.arange(jobs),
        cores=np.ones(jobs),
        user=user,
        job_id=100 + np.arange(jobs),
        constraints=bound,
    )


@given(st.integers(0, 1000), st.sampled_from([users, weeks, shake]))
@settings(max_examples=60, deadline=None)
def test_a_drawn_dependency_waits_for_a_copy_of_the_same_job_as_in_the_log(seed, draw):
    submit_s = np.array([0, 10, 20, 3 * WEEK_S, 3 * WEEK_S + 5, 4 * WEEK_S, 5 * WEEK_S])
    log = chained([0, 0, 1, 0, 0, 1, 1], ["", "afterok:100", "", "", "after:103+2", "afterany:102", ""], submit_s)
    source_of = {1.0 + j: j for j in range(7)}  # jobs are known by their runtimes
    wanted = {1: 0, 4: 3, 5: 2}
    made = draw(log, np.random.default_rng(seed))
    depends = made.workload.constraints.depends
    kept = 0
    for job in range(made.workload.jobs):
        for row in depends.rows_of(job):
            on = int(depends.on[row])
            source, target = (source_of[float(made.workload.runtime_s[j])] for j in (job, on))
            assert wanted[source] == target
            assert draw is not users or made.workload.user[job] == made.workload.user[on]
            kept += 1
    dependents = sum(source_of[float(r)] in wanted for r in made.workload.runtime_s)
    assert kept + made.cut == dependents, "every dependency is kept or counted as cut"


def test_dependencies_between_jobs_of_different_users_are_cut_and_counted():
    log = chained([0, 1, 0, 1, 0, 1, 0], ["", *(f"afterok:{100 + j}" for j in range(6))])
    made = users(log, np.random.default_rng(4))
    assert made.workload.constraints.depends.on.size == 0
    assert made.cut == (made.workload.runtime_s > 1).sum()


def test_a_dependency_that_the_move_around_the_end_would_turn_is_cut():
    submit_s = np.array([0, 1, 2, 3, 4, 5]) * WEEK_S
    log = chained([0] * 6, ["", "after:100", "after:101", "after:102", "after:103", ""], submit_s)
    cuts = [users(log, np.random.default_rng(seed)).cut for seed in range(20)]
    assert set(cuts) == {0, 1}, "one chain of five weeks is broken once, unless it does not move"


def test_shaken_jobs_keep_every_dependency_on_them():
    log = chained([0, 1, 0], ["", "afterok:100", "afterany:101?after:100"], np.array([0.0, 5000.0, 10000.0]))
    made = shake(log, np.random.default_rng(0))
    assert made.cut == 0
    assert [made.workload.constraints.depends.text(j) for j in range(3)] == ["", "afterok:0", "afterany:1?after:0"]


def test_each_copy_of_an_array_is_an_array_of_its_own():
    submit_s = np.array([0.0, 0.0, 10.0, 5 * WEEK_S])
    log = chained([0, 0, 0, 0], ["", "", "afterok:7", ""], submit_s)
    more = replace(log.constraints, array=np.array([7, 7, -1, -1]), array_task=np.array([0, 1, -1, -1]))
    copies = []
    for seed in range(10):
        made = weeks(replace(log, constraints=more), np.random.default_rng(seed)).workload
        bound = made.constraints
        slot = (made.submit_s // WEEK_S).astype(int)
        in_array = bound.array >= 0
        assert len(set(slot[in_array])) == len(set(bound.array[in_array]))
        copies.append(len(set(slot[in_array])))
        for job in np.flatnonzero(np.diff(bound.depends.first)):
            assert bound.depends.on[bound.depends.first[job]] == bound.array[in_array & (slot == slot[job])][0]
    assert max(copies) > 1


def test_begin_times_move_with_their_jobs_and_names_with_their_users():
    submit_s = np.array([0.0, 100.0, 5 * WEEK_S])
    bound = Constraints(eligible_s=submit_s + 50.0, user_names=("ann", "bob"))
    log = Workload.of(submit_s=submit_s, runtime_s=[1.0, 2.0, 3.0], cores=[1, 1, 1], user=[0, 1, 1], constraints=bound)
    made = users(log, np.random.default_rng(3)).workload
    assert np.allclose(made.constraints.eligible_s - made.submit_s, 50.0)
    named = {float(r): made.constraints.user_names[u] for r, u in zip(made.runtime_s, made.user, strict=True)}
    assert named.items() <= {1.0: "ann", 2.0: "bob"}.items()


def test_who_follows_whom_is_told_by_the_new_numbers_and_cut_where_the_draw_parts_them():
    log = Workload.of(
        submit_s=[0, 5, 9, 12],
        runtime_s=[1] * 4,
        cores=[1] * 4,
        job_id=[7, 8, 9, 10],
        constraints=Constraints(follows=np.array([-1, 7, 8, 77]), think_s=np.array([0.0, 1.0, 2.0, 3.0])),
    )
    source, copy = np.array([2, 0, 1, 0, 3]), np.array([0, 0, 0, 1, 1])  # the third stands before the second
    made, cut = rewired(log, source, np.array([1.0, 2.0, 3.0, 4.0, 5.0]), copy)
    assert made.follows.tolist() == [-1, -1, 1, -1, -1]
    assert made.think_s.tolist() == [2, 0, 1, 0, 3]
    assert cut == 1
