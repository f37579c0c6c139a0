"""The generator of NetBatch-like months keeps the published totals and marginals."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadmaster.model import InputError
from loadmaster.traces import generate_netbatch
from loadmaster.traces.netbatch.machines import mix
from loadmaster.traces.netbatch.pools import BLOCK_JOBS, DAY, POOLS, RUNTIMES
from loadmaster.traces.netbatch.runtimes import mean_runtime, quantile

GB = 2**30
TABLE_2_1 = {
    "A": (13_368_191, 1_104, 1_633, 16_588),
    "B": (13_085_800, 1_615, 3_115, 33_300),
    "C": (13_313_793, 1_146, 1_499, 18_816),
    "D": (9_054_066, 862, 2_692, 40_372),
}


@pytest.fixture(scope="module")
def traces():
    """A fiftieth of a month of each pool, on hosts of the whole pool: bursts have their full length in jobs."""
    return {
        pool: generate_netbatch(pool, jobs=POOLS[pool].jobs // 50, hosts=POOLS[pool].hosts, seed=1) for pool in POOLS
    }


def buckets(column):
    whole = column.size // 1000 * 1000
    return column[:whole].reshape(-1, 1000).mean(axis=1)


@pytest.mark.parametrize("pool", POOLS)
def test_totals_are_those_of_table_2_1(pool, traces):
    known = POOLS[pool]
    assert (known.jobs, known.users, known.hosts, known.host_cores) == TABLE_2_1[pool]
    cluster = traces[pool].cluster
    assert (cluster.hosts, cluster.total[0]) == TABLE_2_1[pool][2:]
    assert set(cluster.capacity[:, 0]) == {8.0, 12.0, 16.0}
    assert np.all(cluster.capacity[:, 1] == cluster.capacity[:, 0] * 4 * GB)


@given(st.integers(1, 5000), st.integers(0, 10_000))
def test_every_reachable_pair_of_totals_is_met_exactly(hosts, more):
    cores = 8 * hosts + 4 * (more % (2 * hosts + 1))
    found = mix(hosts, cores)
    assert found.min() >= 0
    assert (found.sum(), found @ [8, 12, 16]) == (hosts, cores)


@pytest.mark.parametrize(("hosts", "cores"), [(10, 79), (10, 164), (10, 76), (1, 10)])
def test_unreachable_totals_are_an_error(hosts, cores):
    with pytest.raises(InputError, match="cannot have so many cores"):
        mix(hosts, cores)


@pytest.mark.parametrize("pool", POOLS)
def test_users_jobs_and_arrivals_are_in_order(pool):
    known = POOLS[pool]
    trace = generate_netbatch(pool, scale=0.01, seed=2)
    work = trace.workload
    assert work.jobs == round(known.jobs * 0.01)
    assert np.unique(work.user).size == round(known.users * (work.jobs / known.jobs) ** 0.5)
    assert work.synthetic
    assert "synthetic" in work.source
    assert any("synthetic" in note for note in trace.notes)
    assert work.project.max() < 20
    assert work.submit_s[0] == 0


@pytest.mark.parametrize("load", [0.58, 0.95, 1.2])
def test_the_load_is_what_was_asked_for(load):
    trace = generate_netbatch("B", scale=0.01, load=load, seed=3)
    assert trace.workload.offered_load(trace.cluster) == pytest.approx(load, rel=1e-5)


@pytest.mark.parametrize("pool", ["A", "B", "C"])
def test_the_month_lasts_about_thirty_days_at_the_load_it_is_scaled_to(pool):
    assert generate_netbatch(pool, scale=0.02, load=0.85, seed=4).workload.span_s / 86400 == pytest.approx(30, rel=0.1)


def test_runtimes_have_the_published_quantiles(traces):
    run = traces["D"].workload.runtime_s
    for part, seconds in RUNTIMES[1:-3]:
        assert np.quantile(run, part) == pytest.approx(seconds, rel=0.02, abs=1.0)
    assert mean_runtime() == pytest.approx(6875.04, rel=0.01)  # published mean
    assert run.mean() == pytest.approx(mean_runtime(), rel=0.01)
    assert np.all(run == np.floor(run))
    assert run.min() >= 1


def test_the_longest_jobs_have_the_published_parts_of_the_work():
    run = quantile((np.arange(1_000_000) + 0.5) / 1_000_000)
    for part, work in ((0.001, 0.0933), (0.01, 0.3720), (0.05, 0.6285), (0.10, 0.7789)):
        assert run[-int(1e6 * part) :].sum() / run.sum() == pytest.approx(work, abs=0.01)


def test_runtimes_are_alike_within_a_user():
    shares = []
    for seed in range(5):
        work = generate_netbatch("D", scale=0.03, seed=seed).workload
        log = np.log1p(work.runtime_s)
        count = np.maximum(np.bincount(work.user), 1)
        mean = np.bincount(work.user, log) / count
        shares.append(np.var(mean[work.user]) / np.var(log))
    assert np.mean(shares) == pytest.approx(0.61, abs=0.1)  # published: eta squared between users 0.6136


def test_arrivals_are_as_bursty_as_published():
    hour = generate_netbatch("D", scale=0.1, load=0.6, seed=5).workload.submit_s
    by_hour = np.bincount((hour // 3600).astype(int))
    by_minute = np.bincount((hour // 60).astype(int))
    for counts, mean, dispersion in ((by_hour, 11_723.9, 9_788.7), (by_minute, 195.4, 226.6)):
        published = dispersion / mean  # squared coefficient of variation, the same at every scale
        assert counts.var() / counts.mean() ** 2 == pytest.approx(published, rel=0.35)
    assert 4 < by_hour.max() / by_hour.mean() < 14  # published 7.3


def test_arrivals_follow_the_profile_of_the_day():
    submit = generate_netbatch("D", scale=0.1, load=0.6, burstiness=0.0, seed=5).workload.submit_s
    days = int(submit[-1] // 86400)
    hours = np.bincount((submit[submit < days * 86400] // 3600).astype(int) % 24) / submit.size
    assert np.corrcoef(hours, DAY)[0, 1] > 0.99


def test_cores_come_in_the_published_mix_and_bursts(traces):
    serial = {pool: float(np.mean(trace.workload.demand[:, 0] == 1)) for pool, trace in traces.items()}
    bucket = {pool: buckets(trace.workload.demand[:, 0]) for pool, trace in traces.items()}
    assert serial["D"] == pytest.approx(9_046_299 / 9_054_066, abs=1.5e-3)
    assert min(serial.values()) > 0.8  # the vast majority are serial, Figure 2.1
    assert bucket["D"].max() < 1.1  # virtually no bursts
    assert bucket["A"].max() > 2  # the only pool with a bucket above two cores a job
    assert max(bucket[pool].max() for pool in "BCD") < 2
    assert np.median(bucket["C"]) > max(np.median(bucket[pool]) for pool in "ABD")  # continuous moderate demands


def test_memory_comes_in_the_bursts_of_figure_3_4(traces):
    memory = {pool: trace.workload.demand[:, 1] / GB for pool, trace in traces.items()}
    bucket = {pool: buckets(column) for pool, column in memory.items()}
    for column in memory.values():
        assert np.mean(column <= 8) > 0.85  # mostly 8 GB and below, Figure 2.2
        assert np.mean(column <= 4) > 0.6  # most require less than 5 GB
        assert column.max() >= 16
    assert bucket["A"].max() > 20
    assert bucket["C"].std() < min(bucket[pool].std() for pool in "ABD")  # somewhat steadier
    assert np.quantile(bucket["D"], 0.05) < 0.6 * np.median(bucket["D"])  # periods of particularly low demands
    assert np.quantile(bucket["B"], 0.05) > 0.6 * np.median(bucket["B"])


def test_burstiness_takes_bursts_away_and_adds_to_them():
    spread = []
    for burstiness in (0.0, 1.0, 2.0):
        work = generate_netbatch("A", jobs=300_000, hosts=1633, burstiness=burstiness, seed=6).workload
        by_minute = np.bincount((work.submit_s // 60).astype(int))
        spread.append((buckets(work.demand[:, 1]).std(), by_minute.std() / by_minute.mean()))
    assert spread[0][0] < spread[1][0] < spread[2][0]
    assert spread[0][1] < spread[1][1] < spread[2][1]


def test_every_job_fits_a_host_of_the_pool(traces):
    for trace in traces.values():
        assert np.all(trace.workload.demand.max(axis=0) <= trace.cluster.capacity.max(axis=0))


def test_the_seed_decides_everything():
    first, again, other = (generate_netbatch("C", scale=0.002, seed=seed) for seed in (7, 7, 8))
    for column in ("submit_s", "runtime_s", "demand", "user"):
        assert np.array_equal(getattr(first.workload, column), getattr(again.workload, column))
    assert np.array_equal(first.cluster.capacity, again.cluster.capacity)
    assert not np.array_equal(first.workload.runtime_s, other.workload.runtime_s)


@pytest.mark.parametrize("jobs", [1, 2, 7, BLOCK_JOBS])
def test_tiny_logs_can_be_made(jobs):
    assert generate_netbatch("A", jobs=jobs, hosts=2, seed=9).workload.jobs == jobs


@pytest.mark.parametrize(
    "wrong", [dict(pool="E"), dict(load=0.0), dict(scale=-1.0), dict(burstiness=-1), dict(memory_per_core_gb=np.inf)]
)
def test_numbers_out_of_range_are_an_error(wrong):
    with pytest.raises(InputError):
        generate_netbatch(**({"pool": "A", "jobs": 10} | wrong))
