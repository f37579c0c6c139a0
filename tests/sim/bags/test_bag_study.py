"""Ways to run a bag come out the same, here, from the store and on a Dask cluster."""

import math
import time
from contextlib import contextmanager
from threading import Barrier

import numpy as np
import pytest

from loadmaster.packing.deadline import Deadline
from loadmaster.results.dask_client import DaskAddress
from loadmaster.results.on_dask import OnDask
from loadmaster.results.store import Store
from loadmaster.results.threads import Threads
from loadmaster.results.watch import Advancing, Stopped
from loadmaster.sim.bags.repetitions import repeat
from loadmaster.sim.bags.study import SizerCase, compile_first, run_ways, run_ways_until
from loadmaster.sizing import FixedHosts, HostType, Planner, SilvaRule

BAGS = np.random.default_rng(0).lognormal(5.0, 1.0, (3, 12))
WAYS = [
    SizerCase(FixedHosts(2), (HostType(),)),
    SizerCase(SilvaRule(), (HostType(),)),
    SizerCase(Planner(), (HostType(),)),
]


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
    ways = [*WAYS, SizerCase(FixedHosts(3), (HostType(),)), SizerCase(Own(1), (HostType(),))]
    compile_first(BAGS, ways, Advancing(lambda _more: None, said.append))
    engines = [FixedHosts(3).name, "silva", "planner"]
    assert said == [words for name in engines for words in (f"compiling, first time only: {name}", "")]


def test_where_all_is_compiled_nothing_is_said_of_it():
    run_ways(BAGS, WAYS, Threads())
    said = []
    compile_first(BAGS, WAYS, Advancing(lambda _more: None, said.append))
    assert said == ["", "", ""]


class AfterWays(Advancing):
    """A deadline that is over after so many ways."""

    def __init__(self, many):
        super().__init__(lambda _more: None)
        self.left = many

    def finished(self, cell):
        self.left -= 1

    def passed(self):
        return self.left <= 0


@pytest.mark.parametrize("many", range(4))
def test_ways_that_there_is_time_for_come_out_as_without_a_limit_and_others_stop(many, monkeypatch):
    whole, stopped = run_ways(BAGS, WAYS, Threads()), []

    def slow(durations, sizer, types, progress):
        try:
            for done in range(40):
                progress(done, 40)
                time.sleep(0.005)
        except Stopped:
            stopped.append(sizer)
            raise
        return repeat(durations, sizer, types)

    monkeypatch.setattr("loadmaster.sim.bags.study.repeat", slow)
    monkeypatch.setattr("loadmaster.sim.bags.study.compile_first", lambda *_: None)
    deadline = AfterWays(many)
    part = run_ways_until(BAGS, WAYS, Threads(1), None, deadline, deadline)
    run = [k for k, outcomes in enumerate(part) if outcomes is not None]
    assert len(run) == many
    assert columns([part[k] for k in run]) == columns([whole[k] for k in run])
    time.sleep(0.1)
    assert many in (0, len(WAYS)) or len(stopped) == 1


def test_all_ways_run_side_by_side_where_the_time_has_no_end(monkeypatch):
    at_once = Barrier(len(WAYS))
    monkeypatch.setattr("loadmaster.sim.bags.study.repeat", lambda *_, progress: at_once.wait(20))
    monkeypatch.setattr("loadmaster.sim.bags.study.compile_first", lambda *_: None)
    monkeypatch.setattr("loadmaster.sim.bags.study._to_bytes", lambda _outcomes: b"")
    monkeypatch.setattr("loadmaster.sim.bags.study._of_bytes", lambda _block: "made")
    assert run_ways_until(BAGS, WAYS, Threads(len(WAYS)), None, None, Deadline.after(math.inf)) == ["made"] * len(WAYS)


def test_no_way_begins_after_the_deadline_but_those_that_must_run():
    over = Deadline.after(-1.0)
    assert [run_ways_until(BAGS, WAYS, Threads(), None, None, over, n).count(None) for n in (0, 1)] == [3, 2]
