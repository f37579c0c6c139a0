"""Listings of several hosts, made one beside the other, put together: a machine that moves is one machine."""

import pytest

from loadmaster.live.guests.snapshot import GuestSnapshot
from loadmaster.live.libvirt.host import Machine
from loadmaster.live.libvirt.view import HostView, MachineInMigration, observation_of, put_together
from loadmaster.live.session.engine import NOWHERE

GB = 2**30
X = Machine("x", "x@1", 2, GB, 0.5)
Y = Machine("y", "y@2", 1, GB, 1.0)


def test_a_machine_on_two_hosts_runs_on_the_one_that_does_not_just_take_it_in():
    view = put_together([[X._replace(coming=True)], [X, Y]])
    assert [(each.machine.name, each.host, each.to) for each in view.ours] == [("x", 1, 0), ("y", 1, NOWHERE)]


@pytest.mark.parametrize("listings", [[[X], []], [[], [X]], [[], []], [[X], [X._replace(coming=True)]]])
def test_the_machine_that_we_move_is_on_its_way_wherever_listings_show_it(listings):
    (place,) = put_together(listings, MachineInMigration(X, 0, 1)).ours
    assert (place.host, place.to) == (0, 1)


def test_a_machine_that_comes_from_elsewhere_is_left_out_and_holds_what_it_holds():
    paused = Y._replace(why_left_out="it is paused")
    listings = [[X._replace(coming=True)], [paused]]
    seen = observation_of(
        5.0, [HostView("a", 4, 4 * GB, listings[0]), HostView("b", 4, 4 * GB, listings[1])], put_together(listings), {}
    )
    seen.check()
    assert dict(seen.left_out) == {"x@1": "it is on its way here from elsewhere", "y@2": "it is paused"}
    assert seen.cluster.capacity.tolist() == [[2.0, 3 * GB], [3.0, 3 * GB]]


def test_an_observation_becomes_the_scene_that_is_decided_on_and_a_silent_host_is_down():
    listings = [[X, Y._replace(why_stays="it has a device of its host")], None]
    rows = [HostView("a", 4, 4 * GB, listings[0]), HostView("b", 8, 8 * GB, None)]
    seen = observation_of(5.0, rows, put_together(listings, MachineInMigration(X, 0, 1)), {"z@3": "no road"})
    seen.check()
    snapshot = GuestSnapshot.of(seen)
    assert snapshot.hosts == {"a": (4.0, 4.0 * GB, True), "b": (8.0, 8.0 * GB, False)}
    assert snapshot.guests == {"x@1": (2.0, GB, "a", "b", 0.5, False), "y@2": (1.0, GB, "a", "", 1.0, True)}
    assert seen.failed == (("z@3", "no road"),)


def test_hosts_full_of_machines_that_are_none_of_ours_keep_a_little():
    listings = [[Y._replace(cores=9, memory=9 * GB, why_left_out="it is paused")]]
    seen = observation_of(0.0, [HostView("a", 4, 4 * GB, listings[0])], put_together(listings), {})
    assert seen.cluster.capacity[0].tolist() == pytest.approx([1e-3, 0.0], rel=1e-3)
