"""The table of kinds: all registries are in it, its filters, and what is said of a name in the wrong place."""

import subprocess
import sys

import pytest

from loadmaster.backfilling import BACKFILLINGS
from loadmaster.model import InputError
from loadmaster.model.constraints import COLUMNS
from loadmaster.order import ORDERS, ORDERS_WITH_MEMORY
from loadmaster.packing.solve import PACKERS
from loadmaster.place import POLICIES
from loadmaster.runs.kinds import KINDS, elsewhere, listed
from loadmaster.scheduling.estimate_model import SOURCES
from loadmaster.scheduling.time_shared import METHODS, MOVERS
from loadmaster.sharing.models import SHARING_MODELS
from loadmaster.sharing.vm_choice import VM_CHOICES
from loadmaster.sizing import SIZERS
from loadmaster.traces.formats import FORMATS


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        ("placement", POLICIES), ("packer", PACKERS), ("order", {**ORDERS, **ORDERS_WITH_MEMORY}),
        ("backfilling", BACKFILLINGS), ("method", METHODS), ("mover", MOVERS), ("sizer", SIZERS),
        ("vm-choice", VM_CHOICES), ("meta-rule", ["max-jobs"]), ("format", FORMATS),
        ("constraint", COLUMNS), ("estimates", SOURCES), ("sharing-model", SHARING_MODELS),
    ],
)  # fmt: skip
def test_everything_in_a_registry_is_listed_under_its_kind(kind, names):
    rules = [rule for of, rule in listed(kind) if of == kind]
    assert set(names) <= {rule.name for rule in rules}
    assert all(rule.summary for rule in rules)


def test_kinds_have_names_of_their_own_and_list_nothing_twice():
    assert len({kind.name for kind in KINDS}) == len(KINDS)
    for kind in KINDS:
        assert len({rule.name for rule in kind.rules}) == len(kind.rules), kind.name


def test_a_part_of_a_name_finds_it_in_every_kind_whatever_the_case():
    found = [(kind, rule.name) for kind, rule in listed(part="MIX-fit")]
    assert found == [("placement", "mix-fit"), ("placement", "mix-fit-origin"), ("packer", "mix-fit")]
    assert [rule.name for _, rule in listed("placement", "origin")] == ["mix-fit-origin"]


@pytest.mark.parametrize(
    ("kind", "part", "said"),
    [
        ("ordre", None, "no such kind of rule; did you mean order?"),
        ("x", None, "known: placement, meta-rule, packer"),
        (None, "mix-fti", "no such rule; did you mean mix-fit?"),
        (None, "packers", "no such rule; did you mean packer?"),
        ("backfilling", "eazy", "no such rule of kind backfilling; did you mean easy?"),
        ("sizer", "mix-fit", "no such rule of kind sizer; see `loadmaster policies` without a name"),
    ],
)
def test_what_is_not_there_is_answered_by_what_is_near(kind, part, said):
    with pytest.raises(InputError) as refusal:
        list(listed(kind, part))
    assert said in str(refusal.value)


@pytest.mark.parametrize(
    ("wanted", "name", "said"),
    [
        ("placement policy", "easy", "a discipline"), ("placement policy", "planner", "a sizer"),
        ("placement policy", "fractional", "a method"), ("placement policy", "pc-g", "virtual machines"),
        ("placement policy", "mosix", "a method"), ("placement policy", "enhanced-mosix", "moves tasks"),
        ("discipline", "max-jobs", "a meta-rule"), ("discipline", "mcb8", "a packer"),
        ("placement policy", "last-two", "--estimates"), ("discipline", "swf", "--format"),
        ("discipline", "features", "--ignore"),
    ],
)  # fmt: skip
def test_a_name_in_the_wrong_place_is_led_to_the_right_one(wanted, name, said):
    assert said in elsewhere(wanted)[name]


def test_a_name_in_its_own_place_is_not_led_away():
    assert not set(POLICIES) & set(elsewhere("placement policy"))
    assert not {*ORDERS, *ORDERS_WITH_MEMORY, *BACKFILLINGS} & set(elsewhere("discipline"))


def test_naming_rules_loads_no_database_no_solver_and_no_tables():
    heavy = (
        "sqlalchemy",
        "scipy.optimize",
        "scipy.sparse",
        "scipy.special",
        "polars",
        "altair",
        "pydantic",
        "distributed",
    )
    code = f"import sys, loadmaster.runs.kinds; print([name for name in {heavy} if name in sys.modules])"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown == "[]\n"
