"""The NetBatch cycle rule by rule (rule Q2), on decisions worked out by hand."""

from snapshots import placed, snapshot

from loadmaster.place import POLICIES
from loadmaster.scheduling import discipline_named as named

FIRST_FIT = POLICIES["first-fit"]
CAPACITY = [(4, 10), (8, 6), (8, 8)]
FREE = [(0, 10), (1, 6), (1, 3)]
BLOCKED, SMALL = (6, 1), (1, 1)


def test_the_host_reserved_has_most_free_memory_of_those_that_could_hold_the_job_when_empty():
    decision = named("netbatch").serve(snapshot(CAPACITY, FREE, [BLOCKED, SMALL]), FIRST_FIT)
    assert decision.reserved == (1,)
    assert placed(decision) == [(1, 2)]


def test_without_reservations_the_small_job_takes_the_first_host_that_fits():
    decision = named("netbatch(reservations=0)").serve(snapshot(CAPACITY, FREE, [BLOCKED, SMALL]), FIRST_FIT)
    assert decision.reserved == ()
    assert placed(decision) == [(1, 1)]


def test_of_hosts_with_equally_much_free_memory_the_first_is_reserved():
    state = snapshot([(4, 8)] * 3, [(0, 2), (0, 5), (0, 5)], [(1, 1)])
    assert named("netbatch").serve(state, FIRST_FIT).reserved == (1,)


def test_every_job_that_finds_no_host_reserves_one_more():
    state = snapshot([(4, 8)] * 3, [(1, 2), (1, 5), (1, 4)], [(2, 1), (2, 1), (1, 1)])
    decision = named("netbatch").serve(state, FIRST_FIT)
    assert decision.reserved == (1, 2)
    assert placed(decision) == [(2, 0)]


def test_only_so_many_jobs_as_allowed_reserve():
    state = snapshot([(4, 8)] * 3, [(1, 2), (1, 5), (1, 4)], [(2, 1), (2, 1), (1, 3)])
    decision = named("netbatch(reservations=1)").serve(state, FIRST_FIT)
    assert decision.reserved == (1,)
    assert placed(decision) == [(2, 2)]


def test_the_walk_stops_when_every_host_is_reserved():
    decision = named("netbatch").serve(snapshot([(4, 8)], [(3, 8)], [(4, 1), (1, 1)]), FIRST_FIT)
    assert decision.reserved == (0,)
    assert placed(decision) == []


def test_only_so_many_jobs_as_the_lookahead_says_are_tried():
    state = snapshot([(4, 8)], [(4, 8)], [(1, 1)] * 3)
    assert placed(named("netbatch(lookahead=2)").serve(state, FIRST_FIT)) == [(0, 0), (1, 0)]


def test_a_job_of_several_tasks_starts_all_or_none_and_reserves_hosts_for_all():
    state = snapshot([(4, 8)] * 4, [(4, 8), (2, 8), (2, 7), (2, 6)], [(4, 1), (1, 1)], tasks=[3, 2])
    decision = named("netbatch").serve(state, FIRST_FIT)
    assert decision.reserved == (0, 1, 2)
    assert placed(decision) == [(1, (3, 3))]


def test_a_decision_leaves_the_snapshot_as_it_is():
    state = snapshot(CAPACITY, FREE, [BLOCKED, SMALL])
    named("netbatch").serve(state, FIRST_FIT)
    assert state.free.tolist() == [list(map(float, row)) for row in FREE]
