"""The script that runs all contracts in full products: what it goes through, what it finds, how it says so."""

import importlib.util
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from bound_jobs import KINDS

from loadmaster.backfilling import BACKFILLINGS, SchedulingPass
from loadmaster.backfilling.promised_shadow_times import PromisedShadowTimes
from loadmaster.order import ORDERS, ORDERS_WITH_MEMORY

SCRIPT = Path(__file__).parents[2] / "tools" / "contract_product.py"


@pytest.fixture
def product(monkeypatch):
    """The script as a module."""
    spec = importlib.util.spec_from_file_location("contract_product", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)
    spec.loader.exec_module(module)
    return module


def cells(product, monkeypatch, *arguments):
    monkeypatch.setattr(sys, "argv", [str(SCRIPT), *arguments])
    return list(product._cells(product._arguments()))


def test_everything_that_is_registered_is_in_the_product(product, monkeypatch):
    found = cells(product, monkeypatch, "--together", "1", "--seeds", "0:2")
    orders = len(ORDERS) + len(ORDERS_WITH_MEMORY)
    assert len(found) == orders * len(BACKFILLINGS) * len(product.POLICIES) * (1 + len(KINDS)) * 2
    assert {cell.policy for cell in found} >= {"max-jobs"}


def test_a_combination_is_named_by_the_command_that_repeats_it(product, monkeypatch):
    cell = product.Combination("sjf+easy(heads=2)", "mix-fit", ("partition", "limits"), 7)
    command = cell.command(20).replace("'", "").split()[2:]
    assert cells(product, monkeypatch, *command) == [cell]


def test_a_kind_that_nobody_knows_is_refused():
    done = subprocess.run(
        [sys.executable, SCRIPT, "--kinds", "partitions"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "no such kind of constraint: partitions; there are begin" in done.stderr


@pytest.mark.parametrize(
    "cell",
    [("sjf+easy", "max-jobs", ("limits",)), ("conservative", "first-fit", ()), ("easy", "worse-fit-cores", ("wide",))],
    ids=str,
)
def test_a_sound_combination_breaks_no_contract(product, cell):
    for seed in range(3):
        assert product.faults(product.Combination(*cell, seed), 13, plain_only=True) == []


def test_an_engine_that_says_something_else_is_found(product, monkeypatch):
    def shifted(workload, cluster, policy, discipline, **how):
        run = product.replay(workload, cluster, product.Scheduler(policy, discipline), **how)
        return replace(run, start_s=run.start_s + 1.0)

    monkeypatch.setattr(product, "simulate", shifted)
    found = product.faults(product.Combination("fcfs+skip", "first-fit", (), 1), 13)
    assert "compiled and plain differ: start_s" in found


LATE = ("fcfs+easy", "fcfs+conservative", "fcfs+conservative(early_end=now)")


def late(product, discipline, kinds, seeds):
    cells = (product.Combination(discipline, "first-fit", kinds, seed) for seed in seeds)
    return [
        fault for cell in cells for fault in product.faults(cell, 13, plain_only=True) if fault.startswith("late: ")
    ]


@pytest.mark.parametrize("discipline", LATE)
@pytest.mark.parametrize("kinds", [(), ("wide",)], ids=str)
def test_promises_are_kept_in_cycles_and_without(product, discipline, kinds):
    assert late(product, discipline, kinds, range(13, 21)) == []


def test_a_head_that_others_in_need_have_overtaken_was_promised_nothing_by_them(product):
    assert (
        product.faults(
            product.Combination("fair-share+easy", "max-jobs", ("features", "speed"), 304), 13, plain_only=True
        )
        == []
    )


@pytest.mark.parametrize("discipline", LATE)
@pytest.mark.parametrize("first", [0, 1], ids=["no cycles", "cycles"])
def test_a_promise_later_than_it_need_be_is_found(product, monkeypatch, discipline, first):
    usual = SchedulingPass.promise

    def later(self, row, **how):
        start_s = usual(self, row, **how) + 1.0
        self.promised[row] = self.promised[row]._replace(start_s=start_s)
        return start_s

    monkeypatch.setattr(SchedulingPass, "promise", later)
    assert late(product, discipline, (), range(first, 12, 2))


@pytest.mark.parametrize("only_slid", [False, True], ids=["that still fits", "that has to slide"])
def test_a_standing_promise_that_moves_further_than_it_must_is_found(product, monkeypatch, only_slid):
    usual = SchedulingPass.renew_promises

    def slack(self):
        rows = usual(self)
        for row in rows:
            promise, before_s = self.promised[row], self.snapshot.promises[self.job(row)].start_s
            if promise.start_s > self.now_s and (promise.start_s > before_s) == only_slid:
                self.promised[row] = promise._replace(start_s=promise.start_s + 0.5)
        return rows

    monkeypatch.setattr(SchedulingPass, "renew_promises", slack)
    assert bool(late(product, "fcfs+conservative", (), range(0, 24, 2))) is not only_slid
    assert late(product, "fcfs+conservative", (), range(1, 24, 2))


@pytest.mark.parametrize("first", [0, 1], ids=["no cycles", "cycles"])
def test_a_head_that_is_overtaken_is_found(product, monkeypatch, first):
    monkeypatch.setattr(PromisedShadowTimes, "beside", lambda self, row: [])
    assert late(product, "fcfs+easy", ("hosts",), range(first, 40, 2))
