"""What a machine costs: started units, the least that is charged, and what is left of what is paid."""

import numpy as np
import pytest

from loadmaster.model import InputError
from loadmaster.sim.bags.repetitions import repeat
from loadmaster.sizing import FixedHosts, HostType


@pytest.mark.parametrize(
    ("unit_s", "minimum_s", "age_s", "units"),
    [
        (3600.0, 0.0, 0.0, 1), (3600.0, 0.0, 3600.0, 1), (3600.0, 0.0, 3600.1, 2), (60.0, 0.0, 61.0, 2),
        (1.0, 60.0, 0.0, 60), (1.0, 60.0, 59.2, 60), (1.0, 60.0, 60.0, 60), (1.0, 60.0, 60.5, 61),
        (60.0, 90.0, 10.0, 2), (60.0, 120.0, 10.0, 2), (60.0, 121.0, 10.0, 3),
    ],
)  # fmt: skip
def test_every_started_unit_is_charged_and_no_less_than_the_minimum(unit_s, minimum_s, age_s, units):
    kind = HostType("m", price_per_h=2.0, unit_s=unit_s, minimum_s=minimum_s)
    assert kind.units(age_s) == units
    assert kind.cost(age_s) == pytest.approx(units * 2.0 * unit_s / 3600.0)
    assert kind.paid_left_s(age_s) == pytest.approx(units * unit_s - age_s)


def test_rounding_of_an_age_starts_no_new_unit():
    kind = HostType("m", 1.0, unit_s=60.0, minimum_s=60.0 * (1 + 1e-12))
    assert kind.units(120.0 * (1 + 1e-13)) == 2
    assert kind.units(1.0) == 1
    assert kind.units(120.001) == 3
    assert kind.units(120.0 * (1 + 1e-7)) == 3
    assert kind.paid_left_s(120.0 * (1 + 1e-13)) == 0.0


@pytest.mark.parametrize(
    ("field", "value"),
    [("price_per_h", 0.0), ("price_per_h", -1.0), ("speed", 0.0), ("unit_s", 0.0), ("unit_s", float("nan")),
     ("boot_s", -1.0), ("boot_s", 86401.0), ("minimum_s", -1.0), ("interruptions_per_h", float("inf")), ("limit", 0)],
)  # fmt: skip
def test_a_machine_type_that_makes_no_sense_is_refused(field, value):
    with pytest.raises(InputError, match=field):
        HostType("m", **{field: value})


@pytest.mark.parametrize(("field", "value"), [("boot_s", 0.0), ("minimum_s", 0.0), ("interruptions_per_h", 0.0)])
def test_nothing_is_a_sound_amount_of_waiting_and_of_interruptions(field, value):
    assert getattr(HostType("m", **{field: value}), field) == 0.0


@pytest.mark.parametrize("plain", [True, False], ids=["plain", "compiled"])
def test_a_bag_pays_the_minimum_for_every_machine(plain):
    kind = HostType("second", 3600.0, unit_s=1.0, minimum_s=60.0)
    runs = repeat(np.array([[10.0, 20.0, 70.0]]), FixedHosts(3), (kind,), plain=plain)
    assert runs.cost.tolist() == [60.0 + 60.0 + 70.0]


def test_a_machine_type_says_nothing_of_what_it_was_not_told():
    kind = HostType("m", limit=1)
    assert kind == HostType("m", 1.0, 1.0, 0.0, 3600.0, 0.0, 0.0, limit=1)
    with pytest.raises(AttributeError):
        kind.limit = 2


def test_units_are_a_float_whatever_they_come_from_or_kernels_are_compiled_a_second_time():
    assert [type(HostType(unit_s=1.0, minimum_s=least_s).units(0.0)) for least_s in (0.0, 60.0)] == [float, float]
