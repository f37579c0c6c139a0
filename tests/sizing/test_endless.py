"""A task that no machine of a type will see the end of is not simulated on it."""

import math

import numpy as np
import pytest

from loadmaster.model.errors import InputError
from loadmaster.sim.bags.reference import World
from loadmaster.sim.bags.repetitions import repeat
from loadmaster.sizing import FixedHosts, HostType
from loadmaster.sizing.endless import MOST_MACHINES, check_ends, ending, longest_s

CALM = HostType("calm")
SPOT = HostType("spot", interruptions_per_h=0.05)


def test_the_longest_task_needs_on_average_the_most_machines_that_are_allowed():
    kind = HostType("spot", speed=2.0, boot_s=100.0, interruptions_per_h=3.0)
    assert math.exp(3.0 * (100.0 + longest_s(kind) / 2.0) / 3600.0) == pytest.approx(MOST_MACHINES)
    assert longest_s(CALM) == math.inf


def test_a_type_on_which_a_task_cannot_be_expected_to_end_is_left_out_with_its_reason():
    left, notes = ending((CALM, SPOT), 1e6)
    assert left == (CALM,)
    assert notes == (
        "spot is left out: taken away every 20 h on average, less than one machine in 50 lasts a task of 11.6 d",
    )
    assert ending((CALM, SPOT), 1e5) == ((CALM, SPOT), ())


def test_where_no_type_is_left_the_task_is_refused():
    with pytest.raises(InputError, match=r"one machine in 50 lasts a task of 11.6 d; cut it into shorter"):
        ending((SPOT,), 1e6)


@pytest.mark.parametrize("plain", [True, False])
def test_the_engines_refuse_what_would_not_end_on_a_given_type(plain):
    with pytest.raises(InputError, match="less than one machine in 50"):
        repeat(np.array([[20.0, 1e6]]), FixedHosts(1), (CALM, SPOT), plain=plain)
    with pytest.raises(InputError, match="less than one machine in 50"):
        World(np.array([20.0, 1e6]), (SPOT,))


def test_machines_that_are_taken_away_before_they_boot_are_refused_whatever_the_task():
    hasty = HostType("hasty", boot_s=60.0, interruptions_per_h=3600.0)
    assert longest_s(hasty) == 0.0
    with pytest.raises(InputError, match=r"every 1 s on average.*lasts a boot and a task of 1 s"):
        repeat(np.ones((1, 1)), FixedHosts(1), (hasty,))


def test_what_ends_on_every_type_passes():
    check_ends((CALM, SPOT), 1e5)
