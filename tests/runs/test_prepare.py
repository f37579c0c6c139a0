from contextlib import contextmanager

import numpy as np
import pytest

from loadmaster.results.watch import Watch
from loadmaster.runs import Setting, case_of
from loadmaster.runs.outcome import run_fully
from loadmaster.runs.prepare import compile_first
from loadmaster.sim.queue.engine_cost import FEW_JOBS
from loadmaster.traces import generate_netbatch


class Listening(Watch):
    """Remembers what it is told."""

    def __init__(self):
        self.prepared, self.begun, self.seconds = [], [], 0.0

    @contextmanager
    def preparing(self, what):
        self.prepared.append(what)
        yield

    def compiling(self, what):
        self.begun.append(what)

    def compiled(self, seconds):
        self.seconds += seconds


def test_a_new_policy_for_an_engine_that_is_there_is_not_told_as_compiling_it(tmp_path):
    """A policy is compiled in every process, in some tenths of a second each; eight of them are no first time."""
    case = case_of(generate_netbatch("A", jobs=10, hosts=2, seed=1))
    for name in ("first", "second"):
        (tmp_path / f"{name}.py").write_text(f"def mine(demand, free, capacity):\n    return free[0] * {len(name)}.5\n")
    compile_first(case, [Setting(f"{tmp_path}/first.py:mine")], Watch())
    watch = Listening()
    compile_first(case, [Setting(f"{tmp_path}/second.py:mine")], watch)
    assert len(watch.prepared) == 1
    assert (watch.begun, watch.seconds) == ([], 0.0)


def test_few_jobs_are_run_by_the_plain_engine_and_come_to_the_same(monkeypatch):
    trace = generate_netbatch("A", jobs=FEW_JOBS, hosts=2, seed=1)
    few = case_of(trace)
    setting = Setting("mix-fit", "easy")
    compiled = run_fully(few, setting, {}, plainly=False)
    monkeypatch.setattr("loadmaster.sim.queue.simulation.replay_unconstrained", None)  # the way to the compiled engine
    compile_first(few, [setting], Watch())
    plain = run_fully(few, setting, {})
    np.testing.assert_array_equal(plain.schedule.start_s, compiled.schedule.start_s)
    np.testing.assert_array_equal(plain.schedule.host, compiled.schedule.host)
    more = case_of(generate_netbatch("A", jobs=FEW_JOBS + 1, hosts=2, seed=1))
    with pytest.raises(TypeError):
        run_fully(more, setting, {})
