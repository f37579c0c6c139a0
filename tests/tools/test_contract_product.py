"""The script that runs all contracts in full products: what it goes through, what it finds, how it says so."""

import importlib.util
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from bound_jobs import KINDS
from loadmaster.backfilling import BACKFILLINGS, Board
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


def test_a_promise_that_is_put_off_is_found(product, monkeypatch):
    usual, passes = Board.promise, []

    def later(self, row, **how):
        passes.append(row)
        start_s = usual(self, row, **how)
        self.promised[row] = self.promised[row]._replace(start_s=start_s + len(passes))
        return start_s

    monkeypatch.setattr(Board, "promise", later)
    late = [
        fault
        for seed in range(12)
        for fault in product.faults(product.Combination("fcfs+easy", "first-fit", (), seed), 13, plain_only=True)
        if fault.startswith("late: ")
    ]
    assert late
