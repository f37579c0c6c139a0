import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from small_case import THREE, Counting, busy_case

from loadmaster.model import InputError
from loadmaster.results.dask_client import DaskAddress
from loadmaster.runs import OnDask, Setting, Store, Threads, Watch
from loadmaster.runs.sweep import key_of, sweep


def same(left, right):
    rows = [outcome.row() | {"simulated_jobs_per_s": 0} for outcome in (left, right)]
    return rows[0] == rows[1] and np.array_equal(left.queue.length, right.queue.length)


def test_a_finished_run_is_never_made_again(tmp_path):
    store, counting = Store.in_folder(tmp_path), Counting()
    first = sweep(busy_case(), THREE, store, counting)
    again = sweep(busy_case(), [*THREE, Setting("worse-fit-cores")], Store.in_folder(tmp_path), counting)
    assert counting.made == ["first-fit", "mix-fit", "max-jobs", "worse-fit-cores"]
    assert all(same(a, b) for a, b in zip(first, again, strict=False))
    assert [outcome.setting.policy for outcome in again] == [*counting.made[:3], "worse-fit-cores"]


def test_the_same_setting_given_twice_is_run_once(tmp_path):
    counting = Counting()
    outcomes = sweep(busy_case(), [Setting("first-fit")] * 2, Store.in_folder(tmp_path), counting)
    assert (len(outcomes), counting.made) == (2, ["first-fit"])


def test_parameters_that_a_policy_does_not_have_do_not_make_another_run():
    case = busy_case()
    assert key_of(case, Setting("mix-fit", members=("first-fit",))) == key_of(case, Setting("mix-fit"))
    assert key_of(case, Setting("mix-fit", "fcfs", reservations=3)) == key_of(case, Setting("mix-fit", "fcfs"))
    assert key_of(case, Setting("mix-fit", reservations=3)) != key_of(case, Setting("mix-fit"))
    assert key_of(case, Setting("max-jobs", members=("first-fit",))) != key_of(case, Setting("max-jobs"))


def test_another_seed_policy_load_or_log_makes_another_run():
    case, setting = busy_case(), Setting("random")
    fewer = replace(case, workload=case.workload.take(slice(0, 399)))
    keys = {key_of(case, setting), key_of(case, replace(setting, seed=1)), key_of(case, replace(setting, beta=0.9))}
    assert len(keys | {key_of(fewer, setting), key_of(case, Setting("mix-fit"))}) == 5


def test_a_changed_policy_file_makes_another_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = Path("rule.py")
    file.write_text("def score(demand, free, capacity):\n    return free[0]\n")
    before = key_of(busy_case(), Setting("rule.py:score"))
    file.write_text("def score(demand, free, capacity):\n    return -free[0]\n")
    assert key_of(busy_case(), Setting("rule.py:score")) != before


def test_a_changed_file_that_a_policy_file_imports_makes_another_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    Path("rule.py").write_text("from zz_weight import W\ndef score(demand, free, capacity):\n    return W * free[0]\n")
    Path("zz_weight.py").write_text("W = 1.0\n")
    before = key_of(busy_case(), Setting("rule.py:score"))
    assert key_of(busy_case(), Setting("rule.py:score")) == before
    Path("zz_weight.py").write_text("W = -1.0\n")
    assert key_of(busy_case(), Setting("rule.py:score")) != before


def test_a_policy_of_the_user_runs_like_a_built_in(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("rule.py").write_text("def least(demand, free, capacity):\n    return free[0]\n")
    ours, theirs = sweep(
        busy_case(), [Setting("best-fit-cores"), Setting("rule.py:least")], Store.in_folder(tmp_path), Threads(1)
    )
    assert ours.metrics == theirs.metrics


def test_an_unknown_policy_stops_a_sweep_before_anything_runs(tmp_path):
    counting = Counting()
    with pytest.raises(InputError, match="did you mean mix-fit"):
        sweep(busy_case(), [Setting("first-fit"), Setting("mix-fti")], Store.in_folder(tmp_path), counting)
    assert counting.made == []


def test_checked_runs_are_sound(tmp_path):
    for outcome in sweep(busy_case(), THREE, Store.in_folder(tmp_path), Threads(2), check=True):
        assert outcome.faults == ()
        assert outcome.metrics.little_error < 1e-9


def test_the_watcher_hears_of_every_run(tmp_path):
    class Listening(Watch):
        heard = ()

        def begin(self, cells, kept, steps):
            self.heard += (cells, kept, steps)

        def finished(self, cell):
            self.heard += (f"finished {cell}",)

    watch = Listening()
    sweep(busy_case(), THREE, Store.in_folder(tmp_path), Threads(1), watch=watch)
    assert watch.heard[:3] == (3, 0, 400)
    assert sorted(watch.heard[3:]) == ["finished 0", "finished 1", "finished 2"]


KILLED = """
import os, signal, sys
sys.path.insert(0, sys.argv[2])
from loadmaster.results.dask_client import DaskAddress
from loadmaster.runs import Threads, Store
from loadmaster.runs.sweep import sweep
from small_case import THREE, busy_case

class DyingStore(Store):
    kept = 0
    def put(self, key, result):
        super().put(key, result)
        self.kept += 1
        if self.kept == 2:
            os.kill(os.getpid(), signal.SIGKILL)

sweep(busy_case(), THREE, DyingStore(sys.argv[1]), Threads(1))
"""


def test_a_sweep_that_was_killed_goes_on_where_it_stopped(tmp_path):
    url = f"sqlite:///{tmp_path / 'results.sqlite'}"
    here, source = str(Path(__file__).parent), str(Path(__file__).parents[2] / "src")
    killed = subprocess.run(
        [sys.executable, "-c", KILLED, url, here], env={**os.environ, "PYTHONPATH": source}, check=False, timeout=300
    )
    assert killed.returncode == -signal.SIGKILL
    counting = Counting()
    resumed = sweep(busy_case(), THREE, Store(url), counting)
    fresh = sweep(busy_case(), THREE, Store.in_folder(tmp_path / ".."), counting)
    assert len(counting.made) == 1 + 3
    assert all(same(a, b) for a, b in zip(resumed, fresh, strict=True))


def test_a_store_that_cannot_be_opened_is_one_clear_error(tmp_path):
    with pytest.raises(InputError, match="cannot be opened"):
        Store(f"sqlite:///{tmp_path}/missing/results.sqlite")
    with pytest.raises(InputError, match="not the URL of a database"):
        Store("what")


def test_a_sweep_keeps_its_runs_in_postgresql(postgres):
    counting = Counting()
    store = Store(postgres)
    first = sweep(busy_case(), THREE[:2], store, counting)
    store.close()
    other = Store(postgres)
    again = sweep(busy_case(), THREE, other, counting)
    other.close()
    assert counting.made == ["first-fit", "mix-fit", "max-jobs"]
    assert all(same(a, b) for a, b in zip(first, again, strict=False))


def test_a_checked_sweep_takes_over_no_run_that_nobody_checked(tmp_path):
    store, counting = Store.in_folder(tmp_path), Counting()
    sweep(busy_case(), THREE[:1], store, counting)
    sweep(busy_case(), THREE[:1], store, counting, check=True)
    assert counting.made == ["first-fit", "first-fit"]
    assert [counting.checked, sweep(busy_case(), THREE[:1], store, counting, check=True)[0].faults] == [
        [False, True],
        (),
    ]
    assert key_of(busy_case(), THREE[0], check=True) != key_of(busy_case(), THREE[0])


def test_a_sweep_comes_out_the_same_on_a_dask_cluster(tmp_path, monkeypatch):
    distributed = pytest.importorskip("distributed", reason="the extra `dask` is not installed")
    monkeypatch.chdir(tmp_path)
    Path("rule.py").write_text("def least(demand, free, capacity):\n    return free[0]\n")
    settings = [*THREE, Setting("rule.py:least")]
    here = sweep(busy_case(), settings, Store.in_folder(tmp_path), Threads(1))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)  # the worker has the policy's file only if it is sent along
    with distributed.LocalCluster(n_workers=1, threads_per_worker=2, dashboard_address="127.0.0.1:0") as cluster:
        monkeypatch.chdir(tmp_path)
        store = Store(f"sqlite:///{tmp_path}/other.sqlite")
        there = sweep(busy_case(), settings, store, OnDask(DaskAddress(cluster.scheduler_address)))
    assert all(same(a, b) for a, b in zip(here, there, strict=True))


def test_an_address_where_no_dask_scheduler_answers_is_one_clear_error(tmp_path, monkeypatch):
    pytest.importorskip("distributed", reason="the extra `dask` is not installed")
    monkeypatch.setattr("loadmaster.results.dask_client.PATIENCE_S", 0.3)
    with pytest.raises(InputError, match="no Dask scheduler answers"):
        sweep(busy_case(), THREE, Store.in_folder(tmp_path), OnDask(DaskAddress("tcp://127.0.0.1:9")))
