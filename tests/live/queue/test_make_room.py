"""Which running jobs to move so that one that waits has room, planned on what a ledger believes."""

import numpy as np

from loadmaster.live.queue.ledger import Ledger
from loadmaster.live.queue.listing import listing_of
from loadmaster.live.queue.make_room import first_without_room, room_for
from loadmaster.live.session.engine import HELD, RUNNING, Observation, ObservedTasks
from loadmaster.model import Cluster, Constraints, SiteRules, Workload
from loadmaster.model.actions import Move
from loadmaster.model.name_column import Named
from loadmaster.scheduling import discipline_named

GB = 2.0**30
RULES = SiteRules(features=(("x",), ("x",), ()))
CLUSTER = Cluster(("cores", "memory"), np.array([[8.0, 16 * GB]] * 3), ("a", "b", "c"), rules=RULES)


def believed(*jobs, up=(True, True, True), order="fcfs"):
    """Each job is (cores, host or -1, features); they come one second after the other."""
    count = len(jobs)
    host = np.array([job[1] for job in jobs], np.int32)
    demand = np.array([[job[0], GB] for job in jobs])
    work = Workload(
        CLUSTER.resources,
        np.arange(count, dtype=float),
        np.full(count, 100.0),
        demand,
        estimate_s=np.full(count, 100.0),
        constraints=Constraints(features=Named.of(job[2] for job in jobs)),
    )
    tasks = ObservedTasks(
        np.arange(count),
        np.zeros(count, np.int32),
        np.where(host < 0, HELD, RUNNING).astype(np.int32),
        host,
        np.full(count, -1, np.int32),
    )
    ledger = Ledger(discipline_named(order).order)
    seen = Observation(100.0, CLUSTER, np.array(up), work, tuple(f"j{k}" for k in range(count)), tasks)
    ledger.see(listing_of(seen), 100.0)
    return ledger


FULL = ((5.0, 0, ""), (5.0, 1, ""), (3.0, 2, ""), (6.0, -1, ""))


def test_one_move_makes_room_and_no_more_is_made():
    ledger = believed(*FULL)
    assert first_without_room(ledger) == "j3"
    room = room_for(ledger, "j3", {"j0", "j1", "j2"}, 9, "count")
    assert (len(room.moves), room.spent) == (1, 1.0)
    assert (room.host, room.moves[0]) in [
        ("a", Move("j0", ("c",))),
        ("b", Move("j1", ("c",))),
        ("c", Move("j2", ("a",))),
        ("c", Move("j2", ("b",))),
    ]


def test_what_may_not_move_and_where_nobody_may_go_bind_the_plan():
    ledger = believed(*FULL)
    assert room_for(ledger, "j3", set(), 9, "count") is None
    assert room_for(ledger, "j3", {"j0"}, 9, "count").moves == (Move("j0", ("c",)),)
    assert room_for(ledger, "j3", {"j0", "j1", "j2"}, 0, "count") is None
    assert room_for(ledger, "j3", {"j0", "j1", "j2"}, 0.5 * GB, "bytes") is None
    only_x = believed((5.0, 0, "x"), (5.0, 1, ""), (3.0, 2, ""), (6.0, -1, ""))
    assert room_for(only_x, "j3", {"j0"}, 9, "count") is None
    assert room_for(believed(*FULL, up=(True, True, False)), "j3", {"j0", "j1", "j2"}, 9, "count") is None


def test_the_one_that_waits_comes_where_it_may():
    ledger = believed((5.0, 0, ""), (5.0, 1, ""), (3.0, 2, ""), (6.0, -1, "x"))
    room = room_for(ledger, "j3", {"j0", "j1", "j2"}, 9, "count")
    assert room.host in ("a", "b")


def test_who_has_room_is_passed_over_and_a_job_for_a_dead_host_is_not():
    assert first_without_room(believed((5.0, 0, ""), (2.0, -1, ""))) == ""
    assert first_without_room(believed((5.0, 0, ""), (2.0, -1, ""), (8.0, -1, "x"), up=(True, False, True))) == "j2"
