"""Ways to run a bag come out the same, here, from the store and on a Dask cluster."""

import math
from contextlib import contextmanager

import numpy as np
import pytest

from loadmaster.kept.dask_client import DaskAddress
from loadmaster.kept.on_dask import OnDask
from loadmaster.kept.store import Store
from loadmaster.kept.threads import Threads
from loadmaster.kept.watch import Advancing
from loadmaster.packing.deadline import Deadline
from loadmaster.sim.bags.door import repeat
from loadmaster.sim.bags.study import Way, compile_first, run_ways, run_ways_until
from loadmaster.sizing import FixedHosts, HostType, Planner, SilvaRule

BAGS = np.random.default_rng(0).lognormal(5.0, 1.0, (3, 12))
WAYS = [Way(FixedHosts(2), (HostType(),)), Way(SilvaRule(), (HostType(),)), Way(Planner(), (HostType(),))]


def columns(found):
    return [[column.tolist() for column in vars(outcomes).values()] for outcomes in found]


def test_ways_run_side_by_side_as_they_run_alone_and_are_kept(tmp_path, monkeypatch):
    alone = columns([repeat(BAGS, sizer, types) for sizer, types in WAYS])
    assert columns(run_ways(BAGS, WAYS, Threads())) == alone
    store = Store.in_folder(tmp_path)
    assert columns(run_ways(BAGS, WAYS, Threads(), store)) == alone
    monkeypatch.setattr("loadmaster.sim.bags.study.repeat", None)
    assert columns(run_ways(BAGS, WAYS, Threads(), store)) == alone
    with pytest.raises(TypeError):
        run_ways(BAGS[:2], WAYS, Threads(), store)


def test_ways_come_out_the_same_on_a_dask_cluster():
    distributed = pytest.importorskip("distributed", reason="the extra `dask` is not installed")
    with distributed.LocalCluster(n_workers=1, threads_per_worker=2, dashboard_address="127.0.0.1:0") as cluster:
        there = run_ways(BAGS, WAYS, OnDask(DaskAddress(cluster.scheduler_address)))
    assert columns(there) == columns(run_ways(BAGS, WAYS, Threads()))


def test_what_is_compiled_before_the_runs_is_said_once_an_engine_and_then_no_more(monkeypatch):
    @contextmanager
    def compiling(begins):
        begins()
        yield []

    class Own(FixedHosts):
        """A rule of the user's own, which the plain engine runs."""

    said = []
    monkeypatch.setattr("loadmaster.sim.bags.study.timing_compilation", compiling)
    ways = [*WAYS, Way(FixedHosts(3), (HostType(),)), Way(Own(1), (HostType(),))]
    compile_first(BAGS, ways, Advancing(lambda _more: None, said.append))
    engines = [FixedHosts(3).name, "silva", "planner"]
    assert said == [words for name in engines for words in (f"compiling, first time only: {name}", "")]


def test_where_all_is_compiled_nothing_is_said_of_it():
    run_ways(BAGS, WAYS, Threads())
    said = []
    compile_first(BAGS, WAYS, Advancing(lambda _more: None, said.append))
    assert said == ["", "", ""]


class Looks:
    """A deadline that is over after so many looks at it."""

    def __init__(self, many):
        self.left = many

    def passed(self):
        self.left -= 1
        return self.left < 0

    def left_s(self):
        return math.inf


@pytest.mark.parametrize("many", range(4))
def test_ways_that_there_is_time_for_come_out_as_without_a_limit(many):
    whole = run_ways(BAGS, WAYS, Threads())
    part = run_ways_until(BAGS, WAYS, Threads(), None, None, Looks(many))
    run = [k for k, outcomes in enumerate(part) if outcomes is not None]
    assert len(run) == min(2**many - 1, len(WAYS))
    assert columns([part[k] for k in run]) == columns([whole[k] for k in run])


def test_no_way_begins_after_the_deadline_but_those_that_must_run():
    over = Deadline.after(-1.0)
    assert [run_ways_until(BAGS, WAYS, Threads(), None, None, over, n).count(None) for n in (0, 1)] == [3, 2]
