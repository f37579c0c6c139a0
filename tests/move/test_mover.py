"""A move that a user's own mover requests is checked before it is made."""

from dataclasses import dataclass, replace
from typing import Any

import pytest

import loadmaster as lm
from loadmaster.model.errors import InputError
from loadmaster.move.migration import TaskMove
from loadmaster.scheduling.time_shared import METHODS
from loadmaster.sim.timeshared.problem import TimesharedProblem
from loadmaster.sim.timeshared.simulation import simulate_timeshared

LOG = lm.Workload.of(submit_s=[0, 0], runtime_s=[20, 20], cores=[1, 1], memory=[1, 1])
HOSTS = lm.Cluster.uniform(2, cores=1, memory=4)


@dataclass(frozen=True)
class Asks:
    """Moves the same whenever it is asked."""

    move: Any
    name: str = "asks"
    period_s: float = 5.0
    fanout: int = 1

    def turn(self, hosts, host, contacts, demand, pick):
        """The move."""
        return self.move() if callable(self.move) else self.move


@dataclass(frozen=True)
class AsksAtEnds:
    """The same when a task ends."""

    name: str = "asks-at-ends"

    def next_move(self, hosts, demand, load_before):
        """The move."""
        return TaskMove(0, 5)


def run(mover):
    return simulate_timeshared(TimesharedProblem(LOG, HOSTS, replace(METHODS["pvm"], mover=mover)))


@pytest.mark.parametrize(
    ("mover", "says"),
    [
        (Asks(lambda: 1 / 0), "'asks': this mover fails: ZeroDivisionError"),
        (Asks((1, 2, 3)), "this mover fails: ValueError: too many values"),
        (Asks(TaskMove(0, 2)), "moves a task to host 2, and hosts go from 0 to 1"),
        (Asks(TaskMove(7, 1)), "moves task 7, which does not run on host"),
        (AsksAtEnds(), "moves a task to host 5"),
    ],
)
def test_a_mover_that_cannot_be_believed_is_told_in_one_line(mover, says):
    with pytest.raises(InputError, match=says):
        run(mover)


def test_one_that_moves_nothing_leaves_the_run_as_it_is():
    assert run(Asks(None)).end_s.tolist() == run(None).end_s.tolist()
