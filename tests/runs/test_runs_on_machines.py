"""The same jobs on several sets of machines (rules N1 to N4)."""

import numpy as np
import pytest

import loadmaster as lm
from loadmaster.model import Constraints, InputError, Workload
from loadmaster.model.whole_hosts import HOST
from loadmaster.runs import Setting, Threads
from loadmaster.runs.machines import machines_of, on_each, sample_machines, sweep_machines
from loadmaster.runs.samples import Drawing, RunOnSample, _factor
from loadmaster.traces import Trace, generate_netbatch, read_hosts


def jobs(cores, **more):
    count = len(cores)
    given = {"submit_s": np.arange(count) * 60.0, "runtime_s": [300.0] * count, "cores": cores, **more}
    return Trace(Workload.of(**given))


def sets(*specs):
    return {spec: read_hosts(spec) for spec in specs}


def test_a_job_that_one_set_cannot_hold_runs_on_none_and_each_set_says_how_many_it_could_not_hold():
    small, large = machines_of(jobs([1, 8, 20, 2, 8]), sets("4x4c", "2x16c"), "auto")
    assert small.case.workload.demand[:, 0].tolist() == large.case.workload.demand[:, 0].tolist() == [1.0, 2.0]
    assert (small.cannot_hold, large.cannot_hold) == (3, 1)
    assert small.case.rejected.counts == {"4x4c cannot hold it": 3}
    with pytest.raises(InputError, match="none of its jobs can run on every set"):
        machines_of(jobs([8, 8]), sets("2x16c", "4x4c"), "auto")


def test_the_load_asked_for_is_that_of_the_first_set_and_the_others_have_their_own():
    machines = machines_of(jobs([1] * 40), sets("1x4c", "1x8c"), "auto")
    settings = on_each([Setting("first-fit", beta=0.5)], machines)
    one, two = sweep_machines(machines, settings, None, Threads(1))
    assert one.load == two.load == machines[0].case.load / 0.5
    assert machines[1].load(two.load) == pytest.approx(one.load / 2)
    assert [one.setting.hosts, two.setting.hosts] == ["1x4c", "1x8c"]


def test_rows_come_by_load_discipline_machines_policy():
    machines = machines_of(jobs([1, 1]), sets("1x4c", "1x8c"), "auto")
    asked = [Setting(p, d) for d in ("fcfs", "netbatch") for p in ("first-fit", "mix-fit")]
    found = [(each.discipline, each.hosts, each.policy) for each in on_each(asked, machines)]
    assert found[:4] == [
        ("fcfs", "1x4c", "first-fit"),
        ("fcfs", "1x4c", "mix-fit"),
        ("fcfs", "1x8c", "first-fit"),
        ("fcfs", "1x8c", "mix-fit"),
    ]
    assert len(found) == 8


def test_samples_arrive_alike_on_every_set_though_whole_hosts_make_jobs_larger_on_one():
    bound = Constraints(exclusive=[HOST, 0] * 200)
    trace = jobs([2, 1] * 200, user=np.arange(400) % 7, constraints=bound)
    machines = machines_of(trace, sets("2x4c", "3x8c"), "auto")
    for number in range(3):
        task = RunOnSample(Setting("first-fit", beta=0.8), {}, Drawing("shake", 1), number)
        factors = [_factor(one.case, task) for one in machines]
        assert factors[0] == factors[1] != 1.0


def test_other_seeds_of_a_generator_keep_only_jobs_that_every_set_holds():
    trace = generate_netbatch("A", jobs=150, hosts=6, load=1.0, seed=3)
    machines = machines_of(trace, sets("10x64c512g", "80x2c8g"), "auto")
    assert machines[0].case.rejected.total > 0
    settings = on_each([Setting("first-fit")], machines)
    runs = sample_machines(machines, settings, Drawing("seeds", 0), range(3), None, Threads(1))
    assert [run.jobs for run in runs[0]] == [run.jobs for run in runs[1]]
    assert min(run.jobs for run in runs[0]) < 150


def test_a_run_costs_its_machines_until_the_last_job_ended():
    machines = machines_of(jobs([1, 1]), sets("2x4c@0.5", "1x8c"), "auto")
    outcomes = sweep_machines(machines, on_each([Setting("first-fit")], machines), None, Threads(1))
    assert machines[0].cost_per_hour == 1.0
    assert machines[0].cost(outcomes[0]) == pytest.approx(outcomes[0].metrics.makespan_s / 3600)
    assert machines[1].cost(outcomes[1]) is None


def test_a_new_price_makes_no_run_again(tmp_path):
    log = lm.read(_log(tmp_path))
    first = lm.compare(log, ["2x4c@1", "1x8c@1"], policies="first-fit", out=tmp_path / "r").frame
    again = lm.compare(log, ["2x4c@3", "1x8c@1"], policies="first-fit", out=tmp_path / "r").frame
    assert first["simulated_jobs_per_s"].to_list() == again["simulated_jobs_per_s"].to_list()
    assert (again["cost_per_hour"] / first["cost_per_hour"]).to_list() == [3.0, 1.0]


def _log(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("submit_s,runtime_s,cores\n" + "".join(f"{20 * i},50,1\n" for i in range(30)))
    return path
