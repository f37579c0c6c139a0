from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from small_case import busy_case

from loadmaster.model import InputError
from loadmaster.runs import Store, Threads
from loadmaster.runs.sharing import SharingSettings, run_sharing
from loadmaster.runs.sharing_study import SharingStudy


def test_a_changed_file_of_the_batch_queues_policy_makes_another_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file, store = Path("rule.py"), Store.in_folder(tmp_path)
    settings, policies = SharingSettings(), ["rule.py:score"]
    file.write_text("def score(demand, free, capacity):\n    return free[0]\n")
    (row,) = SharingStudy(busy_case(), ["fcfs"], settings, policies).run(store, Threads(1))
    assert SharingStudy(busy_case(), ["fcfs"], settings, policies).finished(store) == [row]
    file.write_text("def score(demand, free, capacity):\n    return -free[0]\n")
    assert SharingStudy(busy_case(), ["fcfs"], settings, policies).finished(store) == []


def test_a_batch_queue_on_hosts_of_several_speeds_refuses_an_unsound_policy(tmp_path):
    (tmp_path / "rule.py").write_text("def far(demand, free, capacity):\n    return free[7]\n")
    case = busy_case()
    speeds = replace(case.cluster, speed=np.arange(1.0, case.cluster.hosts + 1.0))
    with pytest.raises(InputError, match="reads a resource that the hosts do not have"):
        run_sharing("fcfs", case.workload, speeds, policy=f"{tmp_path / 'rule.py'}:far")


def test_the_batch_queue_of_few_jobs_compiles_nothing_and_comes_to_the_same(monkeypatch):
    def row(jobs):
        case = replace(busy_case(), workload=busy_case().workload.take(slice(0, jobs)))
        return SharingStudy(case, ["easy"], SharingSettings(), ["first-fit"]).run(None, Threads(1))

    monkeypatch.setattr("loadmaster.sim.queue.engine_cost.FEW_JOBS", 0)
    compiled = row(40)
    monkeypatch.undo()
    monkeypatch.setattr("loadmaster.sim.queue.simulation.replay_unconstrained", None)  # the way to the compiled engine
    assert row(40) == compiled
    with pytest.raises(TypeError):
        row(60)
