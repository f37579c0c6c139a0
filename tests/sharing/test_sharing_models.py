"""What every sharing model promises, over all that are listed; and what is said of one that does not keep it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loadmaster.model import Cluster, InputError, Workload
from loadmaster.scheduling.time_shared import METHODS
from loadmaster.sharing import SHARING_MODELS, Claims, SharingModel, divided, sharing_named
from loadmaster.sharing.load import remarks_on_models
from loadmaster.sharing.virtual_machines import VirtualMachines
from loadmaster.sim.fractional.simulation import FractionalProblem, simulate_fractional
from loadmaster.sim.timeshared import clocks, reference
from loadmaster.sim.timeshared.problem import TimesharedProblem
from loadmaster.sim.timeshared.simulation import simulate_timeshared
from loadmaster.sim.vms.simulation import VmProblem, simulate_vms

MODELS = pytest.mark.parametrize("model", [model for model, *_ in SHARING_MODELS.values()], ids=list(SHARING_MODELS))
SEEDS = given(seed=st.integers(0, 10**6))


def random_host(seed):
    rng = np.random.default_rng(seed)
    n, resources = int(rng.integers(1, 9)), int(rng.integers(1, 4))
    demand = rng.choice([0.0, 0.25, 0.7, 1.0, 3.0], (n, resources))
    high = np.where(rng.random(n) < 0.3, rng.uniform(0.2, 2.0, n), np.inf)
    claims = Claims(np.where(rng.random(n) < 0.3, rng.uniform(0.0, 0.2, n), 0.0), high, rng.choice([1.0, 2.0, 4.0], n))
    return demand, rng.choice([0.5, 1.0, 4.0, 64.0], resources), claims


@MODELS
@settings(max_examples=60)
@SEEDS
def test_a_model_gives_yields_that_fit_the_host_and_are_the_same_when_asked_again(model, seed):
    demand, capacity, claims = random_host(seed)
    yields = divided(model, demand, capacity, claims)
    assert yields.shape == (len(demand),)
    assert ((yields >= 0) & (yields <= 1 + 1e-9)).all()
    assert yields @ demand[:, 0] <= capacity[0] * (1 + 1e-9)
    assert np.array_equal(yields, divided(model, demand, capacity, claims))


@MODELS
@settings(max_examples=60)
@SEEDS
def test_a_model_gives_alone_all_that_is_asked_and_equal_tasks_alike_whatever_their_order(model, seed):
    demand, capacity, _ = random_host(seed)
    alone = demand[:1].copy()
    alone[0, 0] = capacity[0] / 2
    assert divided(model, alone, capacity).tolist() == [1.0]
    order = np.random.default_rng(seed).permutation(len(demand))
    assert divided(model, demand[order], capacity) == pytest.approx(divided(model, demand, capacity)[order])
    twice = divided(model, np.vstack((demand, demand)), capacity)
    assert twice[: len(demand)] == pytest.approx(twice[len(demand) :])


def busy_hosts(seed):
    rng = np.random.default_rng(seed)
    jobs, hosts = 15, int(rng.integers(1, 4))
    demand = np.column_stack((rng.choice([0.5, 1.0, 2.0], jobs), rng.uniform(0.1, 0.5, jobs)))
    workload = Workload(
        ("cores", "memory"),
        np.sort(rng.uniform(0, 40, jobs)),
        rng.uniform(1, 20, jobs),
        demand,
        tasks=rng.choice([1, 1, 2], jobs),
    )
    capacity = np.column_stack((rng.choice([1.0, 4.0], hosts), np.ones(hosts)))
    return workload, Cluster(("cores", "memory"), capacity, speed=rng.choice([0.5, 1.0], hosts))


@MODELS
@settings(max_examples=6)
@SEEDS
def test_under_every_model_every_job_ends_and_none_sooner_than_alone(model, seed):
    workload, cluster = busy_hosts(seed)
    assert isinstance(model, SharingModel)
    fastest = workload.submit_s + workload.runtime_s / cluster.speed.max() - 1e-6
    shared = simulate_timeshared(TimesharedProblem(workload, cluster, METHODS["mosix"], model))
    assert (shared.end_s >= np.repeat(fastest, workload.task_count)).all()
    packed = simulate_fractional(FractionalProblem(workload, cluster, sharing=model))
    assert (packed.end_s >= fastest).all()
    vms = VirtualMachines.on(cluster.capacity[:, 0], cluster.speed, (1, 1, 2), model)
    assert (simulate_vms(VmProblem(workload, vms, "pc-g")).end_s >= fastest).all()


@settings(max_examples=15)
@SEEDS
def test_a_clock_for_each_task_tells_what_one_clock_for_all_does(seed):
    workload, cluster = busy_hosts(seed)
    problem = TimesharedProblem(workload, cluster, METHODS["e-pvm"])
    one = simulate_timeshared(problem, engine="reference")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reference, "CommonClock", clocks.OwnClocks)
        own = simulate_timeshared(problem, engine="reference")
    assert own.end_s == pytest.approx(one.end_s, rel=1e-9)
    assert np.array_equal(own.first_host, one.first_host)


def test_water_filling_gives_a_small_task_all_and_the_large_ones_the_rest_in_equal_parts():
    """Two cores: half a core, and two tasks of four cores that get .75 each, a yield of .1875."""
    workload = Workload.of(submit_s=[0, 0, 0], runtime_s=[10, 9, 9], cores=[0.5, 4, 4], memory=[0, 0, 0])
    problem = TimesharedProblem(
        workload, Cluster.uniform(1, cores=2, memory=1), METHODS["pvm"], sharing_named("water-filling")
    )
    run = simulate_timeshared(problem)
    assert run.end_s[0] == pytest.approx(10.0)
    assert run.end_s[1] == pytest.approx(10.0 + (9 - 10 * 0.1875) / 0.25)


def test_under_equal_caps_nobody_gets_what_another_leaves():
    """Three cores: a task of half a core leaves half a core, and one of two cores still gets no more than one."""
    host, asked = np.array([3.0]), np.array([[0.5], [2.0], [2.0], [0.0]])
    assert divided(sharing_named("equal-caps"), asked, host).tolist() == [1.0, 0.5, 0.5, 1.0]
    assert divided(sharing_named("water-filling"), asked, host).tolist() == [1.0, 0.625, 0.625, 1.0]


class Model:
    name = "mine"

    def __init__(self, answer):
        self.answer = answer

    def yields(self, demand, capacity, claims):
        return self.answer(demand)


@pytest.mark.parametrize(
    ("answer", "rule"),
    [
        (lambda demand: [1.0], "one yield a task: 2 here"),
        (lambda demand: [0.5, -0.5], "between 0 and 1"),
        (lambda demand: [0.5, float("nan")], "between 0 and 1"),
        (lambda demand: [1.0, 1.0], "gives 4 cores of a host that has 2"),
        (lambda demand: [0.0, 0.0], "gives no task of a host any CPU"),
        (lambda demand: demand[9], "this sharing model fails: IndexError"),
        (lambda demand: demand.fill(0.0), "must not change its arguments"),
        (lambda demand: "many", "this sharing model fails: ValueError"),
    ],
)
def test_a_model_that_divides_what_is_not_there_is_refused_in_one_line(answer, rule):
    with pytest.raises(InputError, match=rule) as error:
        divided(Model(answer), np.full((2, 1), 2.0), np.array([2.0]))
    assert len(str(error.value)) < 300


def test_a_model_under_which_two_jobs_hold_each_other_up_for_ever_is_refused():
    """Each has a task on both hosts: the small one serves who came first, the large one who came last."""

    class ByTurns:
        name = "by-turns"

        def yields(self, demand, capacity, claims):
            return np.arange(len(demand)) == (0 if capacity[0] == 1.0 else len(demand) - 1)

    jobs = Workload.of(submit_s=[0, 0], runtime_s=[9, 9], cores=[1, 1], memory=[0, 0], tasks=[2, 2])
    cluster = Cluster(("cores", "memory"), np.array([[1.0, 1.0], [1.5, 1.0]]))
    with pytest.raises(InputError, match="get no CPU for ever"):
        simulate_fractional(FractionalProblem(jobs, cluster, sharing=ByTurns()))


@pytest.mark.parametrize("kind", [TimesharedProblem, FractionalProblem])
def test_what_is_no_sharing_model_is_refused(kind):
    jobs, hosts = Workload.of(submit_s=[0], runtime_s=[1], cores=[1]), Cluster.uniform(1, cores=1)
    with pytest.raises(InputError, match="'str': this is not a sharing model"):
        kind(jobs, hosts, **({"method": METHODS["pvm"]} if kind is TimesharedProblem else {}), sharing="halves")


def test_a_function_of_ones_own_is_taken_from_its_file_with_or_without_claims(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(
        "import random\n\ndef plain(demand, capacity):\n    return [1.0]\n\n"
        "def claiming(demand, capacity, claims):\n    return claims.share\n\n"
        "def drawn(demand, capacity):\n    return [random.random()]\n\ndef lonely(demand):\n    return [1.0]\n"
    )
    demand, capacity = np.array([[0.5]]), np.array([1.0])
    assert divided(sharing_named(f"{file}:plain"), demand, capacity).tolist() == [1.0]
    assert divided(sharing_named(f"{file}:claiming"), demand, capacity).tolist() == [1.0]
    assert remarks_on_models(f"{file}:plain", "water-filling") == ()
    assert "cannot be repeated" in remarks_on_models(f"{file}:drawn")[0]
    with pytest.raises(InputError, match="takes 2 or 3 parameters, this takes 1"):
        sharing_named(f"{file}:lonely")
    with pytest.raises(InputError, match="did you mean water-filling"):
        sharing_named("water-fill")
