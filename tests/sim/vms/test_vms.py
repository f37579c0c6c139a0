"""Jobs on virtual machines: the compiled engine makes the plain one's runs, and neither breaks EASY or conservation."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loadmaster.model import InputError, Workload
from loadmaster.sharing.virtual_machines import VirtualMachines
from loadmaster.sharing.vm_choice import VM_CHOICES
from loadmaster.sim.vms.simulation import VmProblem, as_bags, narrowed, simulate_vms


def random_problem(seed, choice, **changes):
    rng = np.random.default_rng(seed)
    jobs, machines = int(rng.integers(2, 25)), int(rng.integers(1, 5))
    shares = [(1, 1), (1, 1, 2, 4), (1, 2, 3)][int(rng.integers(3))]
    high = [1.0] * len(shares) if rng.random() < 0.7 else list(rng.uniform(0.2, 1.0, len(shares)))
    vms = VirtualMachines.alike(machines, shares, (), high)
    if rng.random() < 0.5:
        vms = VirtualMachines.on(rng.choice([0.5, 1.0, 4.0], machines), rng.choice([0.5, 1.0, 2.0], machines), shares)
    work = rng.exponential(100.0, jobs) + 1
    workload = Workload(
        ("cores",),
        np.cumsum(rng.exponential(40.0, jobs)),
        work,
        rng.choice([[0.5], [1.0], [3.0]] if rng.random() < 0.5 else [[1.0]], jobs).reshape(-1, 1),
        tasks=np.minimum(rng.integers(1, 6, jobs), vms.count),
        estimate_s=work * rng.uniform(1.0, 3.0, jobs),
    )
    return VmProblem(workload, vms, choice, tolerance=1e-11, **changes)


@pytest.mark.parametrize("choice", VM_CHOICES)
@settings(max_examples=6)
@given(seed=st.integers(0, 10**6), estimate=st.sampled_from(["work", "rate", "user"]), redistribute=st.booleans())
def test_compiled_and_plain_make_the_same_run(choice, seed, estimate, redistribute):
    problem = random_problem(seed, choice, estimate=estimate, redistribute=redistribute)
    compiled, plain = simulate_vms(problem), simulate_vms(problem, engine="reference")
    assert compiled.end_s == pytest.approx(plain.end_s, rel=1e-6)
    assert compiled.start_s == pytest.approx(plain.start_s, rel=1e-6)
    for name in ("busy_s", "work_s", "full_s", "full_work_s"):
        assert getattr(compiled, name) == pytest.approx(getattr(plain, name), rel=1e-6)


@settings(max_examples=40)
@given(seed=st.integers(0, 10**6), choice=st.sampled_from(list(VM_CHOICES)))
def test_all_work_asked_is_done_and_no_machine_does_more_than_it_can(seed, choice):
    problem = random_problem(seed, choice)
    run = simulate_vms(problem)
    asked = float(problem.work_s @ problem.workload.task_count)
    assert run.work_s == pytest.approx(asked, rel=1e-7)
    assert run.efficiency(problem.vms) <= 1 + 1e-9
    assert (run.speed(problem.workload) <= problem.vms.speed.max() + 1e-9).all()
    assert (run.start_s >= problem.workload.submit_s).all()


@settings(max_examples=40)
@given(seed=st.integers(0, 10**6))
def test_backfilling_never_delays_the_head_at_fixed_rates_with_exact_estimates(seed):
    """One VM a machine: nobody shares, so speeds are 1 and EASY's promise is exact."""
    rng = np.random.default_rng(seed)
    jobs = 25
    workload = Workload(
        ("cores",),
        np.cumsum(rng.exponential(20.0, jobs)),
        rng.exponential(100.0, jobs) + 1,
        np.ones((jobs, 1)),
        tasks=rng.integers(1, 5, jobs),
    )
    vms = VirtualMachines.alike(4, shares=(1,))
    easy = simulate_vms(VmProblem(workload, vms, "pc-g"))
    for job in range(jobs):
        # Without any later job, the first waiting job starts no earlier.
        alone = simulate_vms(VmProblem(workload.take(slice(0, job + 1)), vms, "pc-g"))
        earlier_waiting = (easy.start_s[:job] > workload.submit_s[job] - 1e-9).any()
        if not earlier_waiting:
            assert easy.start_s[job] <= alone.start_s[job] + 1e-6


def test_an_estimate_by_rate_knows_that_a_backfilled_job_will_be_slow():
    """One machine of three VMs: 0 and 1 run at 1/2 for 100 s of work each, job 2 wants all three, job 3 has 60 s.

    At half speed the first two end at 200 s, which is the reservation. Job 3 takes 60 s at speed 1, 180 s at 1/3:
    arriving at 50 s it ends before 200 s by its work, but not by its rate.
    """
    jobs = Workload.of(
        submit_s=[0.0, 0.0, 1.0, 50.0], runtime_s=[100.0, 100.0, 10.0, 60.0], cores=[1] * 4, tasks=[1, 1, 3, 1]
    )
    vms = VirtualMachines.alike(1, shares=(1, 1, 1))
    by_work = simulate_vms(VmProblem(jobs, vms, "pc-g", estimate="work"))
    by_rate = simulate_vms(VmProblem(jobs, vms, "pc-g", estimate="rate"))
    assert by_work.start_s[3] == pytest.approx(50.0)
    assert by_rate.start_s[3] > 199.0
    assert by_rate.start_s[2] < by_work.start_s[2]


@pytest.mark.parametrize(
    "change", [{"estimate": "guess"}, {"ranking": "twice"}, {"tolerance": 0.2}, {"most_rounds": 0}]
)
def test_a_problem_that_makes_no_sense_is_refused(change):
    jobs = Workload.of(submit_s=[0.0], runtime_s=[1.0], cores=[1], tasks=[1])
    with pytest.raises(InputError):
        VmProblem(jobs, VirtualMachines.alike(2, shares=(1, 1)), **change)


@pytest.mark.parametrize("engine", ["auto", "reference"])
def test_a_run_counts_the_events_after_which_speeds_had_not_settled(engine):
    problem = random_problem(3, "pc-sg")
    assert simulate_vms(problem, engine=engine).unsettled == 0
    hurried = simulate_vms(replace(problem, most_rounds=1), engine=engine)
    assert 0 < hurried.unsettled <= hurried.events
    assert np.isfinite(hurried.end_s).all()


def test_progress_is_told_and_changes_nothing(monkeypatch):
    import loadmaster.sim.vms.vms_kernel as kernel

    problem = random_problem(3, "pc-sg")
    whole, engine_of = simulate_vms(problem), kernel._engine
    monkeypatch.setattr(kernel, "_engine", lambda kinds: lambda *given: engine_of(kinds)(*given[:-1], 2))
    told: list[int] = []
    pieces = simulate_vms(problem, progress=lambda ended, jobs: told.append(ended))
    assert told == sorted(told)
    assert len(told) > 3
    assert np.array_equal(whole.end_s, pieces.end_s)


def test_a_static_ranking_crowds_a_job_on_one_machine():
    jobs = Workload.of(submit_s=[0.0], runtime_s=[100.0], cores=[1], tasks=[4])
    vms = VirtualMachines.alike(4, shares=(1, 1, 1, 1))
    spread = simulate_vms(VmProblem(jobs, vms, "pc-g"))
    crowded = simulate_vms(VmProblem(jobs, vms, "pc-g", ranking="static"))
    assert spread.end_s[0] == pytest.approx(100.0, rel=1e-3)
    assert crowded.end_s[0] == pytest.approx(400.0, rel=1e-3)


def test_tasks_of_a_bag_do_not_wait_for_each_other():
    """Two tasks, one beside a busy VM: coupled both go at half speed, as a bag one goes at full."""
    jobs = Workload.of(submit_s=[0.0, 0.0], runtime_s=[100.0, 100.0], cores=[1, 1], tasks=[1, 2])
    vms = VirtualMachines.alike(2, shares=(1, 1))
    coupled = simulate_vms(VmProblem(jobs, vms, "pmvm", tolerance=1e-9))
    bag = simulate_vms(VmProblem(as_bags(jobs), vms, "pmvm", tolerance=1e-9))
    assert coupled.end_s == pytest.approx([200.0, 200.0], rel=1e-6)
    assert sorted(bag.end_s)[0] == pytest.approx(100.0)


def test_a_task_of_four_cores_has_a_vm_of_a_host_of_eight_and_one_of_twice_the_speed():
    """Host 0 has 8 cores of speed 1, host 1 has 2 of speed 2: alone on either a task of 4 cores goes at 4."""
    vms = VirtualMachines.on(np.array([8.0, 2.0]), np.array([1.0, 2.0]), (1, 1))
    jobs = Workload.of(submit_s=[0.0, 0.0, 0.0], runtime_s=[100.0] * 3, cores=[4, 4, 4])
    run = simulate_vms(VmProblem(jobs, vms, "pc-g", tolerance=1e-9))
    assert run.end_s == pytest.approx([100.0] * 3, rel=1e-6)
    assert run.work_s == pytest.approx(1200.0)
    assert run.efficiency(vms) == pytest.approx(1.0)


def test_a_task_that_asks_for_no_cpu_is_refused_on_a_vm():
    jobs = Workload.of(submit_s=[0.0], runtime_s=[1.0], cores=[0])
    with pytest.raises(InputError, match="requests some CPU"):
        VmProblem(jobs, VirtualMachines.alike(2, shares=(1, 1)))


def test_a_job_wider_than_the_cluster_is_refused_or_clipped():
    jobs = Workload.of(submit_s=[0.0], runtime_s=[1.0], cores=[1], tasks=[9])
    vms = VirtualMachines.alike(2, shares=(1, 1))
    with pytest.raises(InputError, match="narrowed"):
        VmProblem(jobs, vms)
    assert simulate_vms(VmProblem(narrowed(jobs, 4), vms)).end_s[0] == pytest.approx(2.0, rel=1e-3)


def test_a_job_that_would_never_end_is_refused():
    jobs = Workload.of(submit_s=[0.0], runtime_s=[1e305], cores=[1], tasks=[1])
    with pytest.raises(InputError, match="no job ends"):
        simulate_vms(VmProblem(jobs, VirtualMachines.alike(1, shares=(1, 1)), "pc-g"))
