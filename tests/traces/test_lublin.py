"""The model of Lublin and Feitelson 2003: every part has the moments of its published parameters."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import gamma

from loadmaster.model import Cluster, InputError
from loadmaster.runs import case_of
from loadmaster.runs.samples import drawing_for, sampled, why_not_seeds
from loadmaster.traces import generate_lublin, read_trace, write_trace
from loadmaster.traces.lublin.arrivals import BUCKET_S, arrival_times, daily_cycle, times_between
from loadmaster.traces.lublin.parameters import ALL_JOBS, BATCH, INTERACTIVE, NODES
from loadmaster.traces.lublin.runtimes import job_runtimes
from loadmaster.traces.lublin.sizes import job_sizes

DRAWS = 400_000
CLASSES = pytest.mark.parametrize("part", [BATCH, INTERACTIVE, ALL_JOBS], ids=["batch", "interactive", "all"])


@CLASSES
def test_serial_jobs_and_powers_of_two_have_their_published_shares(part):
    size = job_sizes(part.sizes, DRAWS, np.random.default_rng(1))
    assert np.mean(size == 1) == pytest.approx(part.sizes.serial, abs=0.004)
    # a parallel size that was not rounded may come out as a power of two by chance, mostly 2 and 4
    power = np.mean((size > 1) & (size & (size - 1) == 0))
    assert part.sizes.power_of_two - 0.004 < power < part.sizes.power_of_two + 0.12
    assert size.max() == round(2**part.sizes.high)


@CLASSES
def test_log2_of_sizes_has_the_mean_of_the_two_stages(part):
    s = part.sizes
    # with no serial job and no rounding to whole numbers; rounding the size itself moves log2 little
    size = job_sizes(s.__class__(0.0, 0.0, s.low, s.middle, s.high, s.first), DRAWS, np.random.default_rng(2))
    expected = (s.first * s.low + s.middle + (1 - s.first) * s.high) / 2
    assert np.log2(size).mean() == pytest.approx(expected, abs=0.03)


@CLASSES
@pytest.mark.parametrize("nodes", [1, 16, 64])
def test_log_runtimes_have_the_mean_of_the_two_gammas_cut_at_twelve(part, nodes):
    r = part.runtimes
    runtime = job_runtimes(r, np.full(DRAWS, nodes), np.random.default_rng(3))
    first = min(max(r.per_node * nodes + r.at_zero, 0.0), 1.0)
    laws = [gamma(shape, scale=scale) for shape, scale in zip(r.shape, r.scale, strict=True)]
    weights = [first * laws[0].cdf(12), (1 - first) * laws[1].cdf(12)]
    long = [law.sf(5) - law.sf(12) for law in laws]
    expected = (first * long[0] + (1 - first) * long[1]) / sum(weights)
    assert np.mean(runtime >= np.exp(5)) == pytest.approx(expected, abs=0.005)
    assert runtime.max() <= np.exp(12)


@CLASSES
def test_large_jobs_run_longer(part):
    nodes = np.repeat([1, 32], DRAWS // 2)
    runtime = job_runtimes(part.runtimes, nodes, np.random.default_rng(4))
    assert np.log(runtime[nodes == 32]).mean() > np.log(runtime[nodes == 1]).mean() + 0.3


@CLASSES
def test_jobs_arrive_in_each_half_hour_as_the_daily_cycle_says(part):
    cycle = daily_cycle(part.arrivals)
    assert cycle.mean() == pytest.approx(1.0)
    between_s = times_between(part.arrivals, DRAWS, np.random.default_rng(5))
    at_s = arrival_times(between_s, cycle)
    assert (np.diff(at_s) >= 0).all()
    counts = np.bincount((at_s % 86400 // BUCKET_S).astype(int), minlength=48)
    assert np.abs(counts / DRAWS * 48 - cycle).max() < 0.12
    # the middle of the cycle's gamma distribution: half hours after midnight
    a = part.arrivals
    assert abs(int(np.argmax(counts)) - ((a.cycle_shape - 1) * a.cycle_scale - 1)) <= 3


@CLASSES
def test_the_mean_time_between_arrivals_is_that_of_the_log_gamma(part):
    a = part.arrivals
    law = gamma(a.shape * a.all_day, scale=a.scale)
    expected = quad(lambda x: np.exp(x) * law.pdf(x), 0, 13)[0] / law.cdf(13)
    between_s = times_between(a, DRAWS, np.random.default_rng(6))
    assert between_s.mean() == pytest.approx(expected, rel=0.05)
    cycle = daily_cycle(a)
    days = arrival_times(between_s, cycle)[-1] / 86400
    assert days * 86400 / DRAWS == pytest.approx(between_s.mean(), rel=0.02)


def test_a_half_hour_of_twice_the_rate_takes_twice_the_time_between_arrivals():
    cycle = np.full(48, 1.0)
    cycle[0], cycle[1] = 2.0, 0.5
    assert arrival_times(np.array([1800.0, 1800.0, 900.0, 900.0]), cycle).tolist() == [900.0, 1800.0, 3600.0, 4500.0]


def test_both_classes_have_their_own_sizes_and_one_class_has_those_of_all():
    trace = generate_lublin(20_000, seed=7)
    size, queue = trace.workload.task_count, trace.extra["queue"]
    assert set(queue.tolist()) == {0, 1}
    assert size[queue == 0].max() <= round(2**5.5) < size[queue == 1].max() <= NODES
    assert np.mean(size[queue == 1] == 1) == pytest.approx(BATCH.sizes.serial, abs=0.02)
    one = generate_lublin(20_000, classes="one", seed=7)
    assert np.mean(one.workload.task_count == 1) == pytest.approx(ALL_JOBS.sizes.serial, abs=0.02)


@pytest.mark.parametrize("load", [0.4, 0.9])
def test_a_load_holds_and_leaves_the_jobs_of_a_single_class_as_they_are(load):
    plain, loaded = (generate_lublin(3000, classes="one", load=each, seed=8) for each in (None, load))
    assert loaded.workload.offered_load(loaded.cluster) == pytest.approx(load, rel=2e-3)
    assert np.array_equal(plain.workload.runtime_s, loaded.workload.runtime_s)


def test_other_machines_scale_the_sizes():
    size = generate_lublin(20_000, cores=1024, seed=9).workload.task_count
    assert 512 < size.max() <= 1024


def test_32_cores_are_enough_as_the_refusal_says():
    with pytest.raises(InputError, match="give 32 cores or more"):
        generate_lublin(10, cores=31, seed=9)
    assert generate_lublin(10, cores=32, seed=9).workload.jobs == 10


def test_users_submit_alike_jobs_in_sessions():
    work = generate_lublin(5000, classes="one", users=20, seed=10).workload
    same = np.mean((work.task_count[1:] == work.task_count[:-1]) & (work.user[1:] == work.user[:-1]))
    assert same == pytest.approx(0.8, abs=0.07)
    assert work.user.max() < 20


def test_a_written_log_says_how_to_make_others_like_it(tmp_path):
    trace = generate_lublin(50, load=0.7, estimates="tsafrir", users=5, seed=11)
    write_trace(trace.workload, tmp_path / "log.swf", trace.extra, trace.recipe)
    recipe = read_trace(tmp_path / "log.swf").recipe
    assert recipe == trace.recipe
    assert np.array_equal(recipe.make(11).workload.estimate_s, trace.workload.estimate_s)


@pytest.mark.parametrize("file", ["", "log.swf", "log.csv"])
def test_samples_of_a_log_are_logs_of_other_seeds_with_sizes_alike(tmp_path, file):
    trace = generate_lublin(400, cores=32, load=0.7, seed=12)
    if file:
        write_trace(trace.workload, tmp_path / file, trace.extra, trace.recipe)
        trace = read_trace(tmp_path / file)
    case = case_of(trace, Cluster.uniform(32, cores=1), "any")
    assert why_not_seeds(case) == ""
    drawn = sampled(case, drawing_for(case, "", 0), 3).workload
    assert drawn.offered_load(case.cluster) == pytest.approx(0.7, rel=0.01)
    assert drawn.task_count.max() > 16


@pytest.mark.parametrize(
    ("given", "rule"),
    [
        ({"jobs": 0}, "jobs"),
        ({"cores": 8}, "too few cores"),
        ({"load": 0.0}, "load"),
        ({"jobs": 1, "load": 0.5}, "span"),
    ],
)
def test_numbers_out_of_range_are_refused(given, rule):
    with pytest.raises(InputError, match=rule):
        generate_lublin(**given)
