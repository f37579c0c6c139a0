"""Shai 2014 re-run: buckets, loads, claims and records, all tiny."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loadmaster.model import Cluster, Cycles, InputError, Schedule, Workload
from loadmaster.model.snapshot import Queue, Running, Snapshot
from loadmaster.model.units import GB
from loadmaster.papers import PAPERS, StudyOptions
from loadmaster.papers.shai2014 import published as paper
from loadmaster.papers.shai2014 import reproduce_with
from loadmaster.papers.shai2014.bucket_claims import bucket_claims
from loadmaster.papers.shai2014.buckets import TRIED, Matches, match, synthetic_buckets
from loadmaster.papers.shai2014.choice_claims import choice_claims
from loadmaster.papers.shai2014.levels import measured
from loadmaster.papers.shai2014.load_claims import load_claims
from loadmaster.papers.shai2014.load_tables import readings_table
from loadmaster.papers.shai2014.loads import OPEN, RESERVED, Curves, scarcer_load, synthetic_streams
from loadmaster.papers.shai2014.real_logs import wagap_stream
from loadmaster.papers.shai2014.setup import READINGS, SHAPES, StudySetup
from loadmaster.papers.shai2014.table_2_1 import counts, generator_claims, log_claims, missing_claims, pool_of
from loadmaster.place import POLICIES
from loadmaster.scheduling import discipline_named
from loadmaster.traces import generate_netbatch, write_trace
from loadmaster.traces.netbatch import POOLS

TINY = StudySetup(bucket_streams=2, bucket_part=0.0002, streams=2, scale=0.01, jobs=400, betas=(0.58, 0.95, 1.0))


def workload(rows):
    cores, memory = zip(*rows, strict=True)
    zeros = [0.0] * len(rows)
    return Workload.of(submit_s=zeros, runtime_s=[1.0] * len(rows), cores=list(cores), memory=list(memory))


def match_plainly(workload, cluster, policy, size):
    """As `match`, by one decision of the NetBatch discipline without reservations on each bucket."""
    none = np.zeros(0, np.int64)
    nobody = Running(none, none.astype(np.int32), np.zeros((0, 2)), np.zeros(0), none.astype(np.int32))
    found = []
    for first in range(0, workload.jobs // size * size, size):
        jobs = np.arange(first, first + size)
        queue = Queue(
            jobs,
            workload.demand[jobs],
            np.ones(size, np.int32),
            workload.runtime_s[jobs],
            np.zeros(size, np.int32),
            jobs,
        )
        snapshot = Snapshot(0.0, cluster, np.array(cluster.capacity), queue, nobody)
        found.append(len(discipline_named("skip").serve(snapshot, policy).place))
    return found


@settings(max_examples=25)
@given(
    st.lists(st.tuples(st.integers(1, 5), st.integers(0, 9)), min_size=1, max_size=30),
    st.integers(1, 12),
    st.lists(st.tuples(st.integers(1, 6), st.integers(1, 12)), min_size=1, max_size=4),
)
def test_the_kernel_matches_the_jobs_that_a_decision_on_each_bucket_starts(rows, size, hosts):
    jobs, cluster = workload(rows), Cluster(("cores", "memory"), np.array(hosts, dtype=float))
    found = match(jobs, cluster, size=size)
    for p, name in enumerate(TRIED):
        assert found[:, p].tolist() == match_plainly(jobs, cluster, POLICIES[name], size)


def test_buckets_of_a_generated_pool_are_matched_as_by_plain_decisions():
    jobs = generate_netbatch("A", jobs=600, seed=3).workload
    cluster = Cluster.uniform(8, cores=8, memory=32 * GB)
    found = match(jobs, cluster, ("mix-fit", "worse-fit-cores"), size=200)
    assert found[:, 0].tolist() == match_plainly(jobs, cluster, POLICIES["mix-fit"], 200)
    assert found[:, 1].tolist() == match_plainly(jobs, cluster, POLICIES["worse-fit-cores"], 200)


def test_the_examples_of_section_3_are_buckets_too():
    two = Cluster.uniform(2, cores=4, memory=32)
    figure_3_1, figure_3_2 = [(1, 16)] * 2 + [(1, 4)] * 6, [(1, 8)] * 3 + [(1, 32)] + [(5, 1)] * 4
    found = match(workload(figure_3_1 + figure_3_2), two, paper.HEURISTICS, size=8)
    assert found.tolist() == [[6, 6, 8, 8, 8], [4, 4, 3, 3, 4]]


def test_a_policy_that_needs_more_than_the_host_is_refused():
    with pytest.raises(InputError, match="look at one host alone"):
        match(workload([(1, 1)]), Cluster.uniform(1, cores=1, memory=1), ("round-robin",), size=1)


def test_every_shape_has_the_published_number_of_cores():
    assert {shape.hosts * shape.cores for shape in SHAPES} == {512}


def test_the_published_table_is_the_one_the_generator_follows():
    for pool, totals in paper.TABLE_2_1.items():
        assert totals == (POOLS[pool].jobs, POOLS[pool].users, POOLS[pool].hosts, POOLS[pool].host_cores)
    assert [claim.verdict for claim in generator_claims(0)] == ["report only"] * 4  # made after the table


def matches(wins, shape=SHAPES[0], pool="A"):
    """Three streams of ten buckets, about `wins` of which Worse-Fit-Cores wins and all but Best-Fit-Memory else."""
    rows = [np.array([[5, 4, 6 if k < wins + more else 4, 5, 5, 1] for k in range(10)]) for more in (0, 0, 1)]
    return Matches(pool, shape, tuple(rows))


def on_both(wins):
    return {pool: [matches(wins, shape, pool) for shape in READINGS] for pool in "ABCD"}


def test_bucket_claims_hold_or_differ_with_the_data_on_both_readings_of_the_hosts():
    good, bad = (bucket_claims(on_both(wins), "made up") for wins in (8, 2))
    verdict = [[claim.verdict for claim in claims if "wins most buckets" in claim.claim] for claims in (good, bad)]
    assert verdict == [["holds"] * 8, ["differs"] * 8]
    assert {claim.where for claim in good if "wins most" in claim.claim} == {
        "Figure 3.5, 64 x 8 cores, 4 GiB a core",
        "Figure 3.5, 32 x 16 cores, 8 GiB a core",
    }
    lost = [[claim.verdict for claim in claims if "does not win" in claim.claim] for claims in (good, bad)]
    assert lost == [["holds"] * 8, ["differs"] * 8]
    best = [[claim.verdict for claim in claims if "best of the four" in claim.claim] for claims in (good, bad)]
    assert best == [["holds"] * 2, ["differs"] * 2]


def test_pools_that_are_alike_do_not_give_a_the_largest_margin():
    found = bucket_claims(on_both(8), "made up")
    assert [claim.verdict for claim in found if "margin" in claim.claim] == ["differs"] * 2


def test_points_go_to_all_who_tie():
    assert matches(8).wins(paper.HEURISTICS).mean(axis=0).tolist() == pytest.approx([1 / 6, 0, 5 / 6, 1 / 6, 1 / 6])


def curves(name, mix, meta, chosen=0.9, reading=RESERVED):
    """Three streams at two loads: single-resource heuristics wait 100 s, Mix-Fit and Max-Jobs as said."""
    row = [100.0, 100.0, 100.0, 100.0, mix, meta]
    table = np.array([[row, row]] * 3) * np.array([1.0, 1.1, 0.9])[:, None, None]
    more = np.array([0, 0, 0, 0, chosen - 0.8]) * np.array([0.9, 1.0, 1.1])[:, None, None]
    return Curves(
        name,
        True,
        reading,
        np.array([0.9, 0.5]),
        np.array([0.9, 0.5]),
        dict.fromkeys(("wait", "slowdown", "queue"), table),
        {m: np.array([150.0, 160.0, 140.0]) for m in ("wait", "slowdown", "queue")},
        np.full((3, 2, 5), 0.8) + more,
        0.0,
        10,
    )


def verdicts(claims, words):
    return [claim.verdict for claim in claims if words in claim.claim]


def test_load_claims_hold_or_differ_with_the_data():
    good = load_claims({pool: curves(pool, 78.0, 79.0) for pool in "ABCD"}, {})
    bad = load_claims({pool: curves(pool, 110.0, 120.0) for pool in "ABCD"}, {})
    assert verdicts(good, "pool A (synthetic), highest load: Mix-Fit lowers") == ["holds"] * 3
    assert verdicts(bad, "pool A (synthetic), highest load: Mix-Fit lowers") == ["differs"] * 3
    assert verdicts(good, "near the best") == ["holds"]
    assert verdicts(bad, "near the best") == ["differs"]
    assert "22.0 %" in next(claim.ours for claim in good if "Mix-Fit lowers" in claim.claim)


def test_claims_on_the_choices_hold_or_differ_with_the_data():
    good = choice_claims({pool: curves(pool, 1, 1, 0.9) for pool in "ABCD"}, {})
    bad = choice_claims({pool: curves(pool, 1, 1, 0.7) for pool in "ABCD"}, {})
    assert (verdicts(good, "most often"), verdicts(bad, "most often")) == (["holds"], ["differs"])


def test_the_same_wait_everywhere_holds_only_what_says_so():
    same = {pool: curves(pool, 100.0, 100.0) for pool in "ABCD"}
    found = load_claims(same, {})
    assert verdicts(found, "Mix-Fit lowers mean wait")[0] == "differs"
    assert verdicts(found, "better than each heuristic") == ["differs"]
    assert verdicts(found, "all heuristics perform the same") == ["holds"]
    apart = {pool: curves(pool, 110.0, 100.0) for pool in "ABCD"}
    assert verdicts(load_claims(apart, {}), "all heuristics perform the same") == ["differs"]


def test_the_gate_on_max_jobs_stands_on_the_thesis_reading_alone():
    bad = {pool: curves(pool, 110.0, 150.0, reading=OPEN) for pool in "ABCD"}
    assert verdicts(load_claims(bad, {}), "near the best") == ["report only"]
    table = readings_table(({"A": curves("A", 78.0, 79.0)}, {"A": curves("A", 90.0, 150.0, reading=OPEN)}))
    assert [row[0] for row in table.rows] == ["A", "A"]
    assert table.bands == {0: "with reservations", 1: "without reservations"}
    assert table.rows[1][-1].startswith("1.667")


def test_jobs_of_the_empty_start_are_run_and_not_measured():
    jobs = Workload.of(submit_s=[0, 10, 3600, 7200, 9000], runtime_s=[100] * 5, cores=[1] * 5, memory=[1] * 5)
    none = np.zeros(0)
    cycles = Cycles(none, none.astype(np.int64), none.astype(np.int64), none.astype(np.int64))
    schedule = Schedule(jobs.submit_s + np.array([0, 0, 10, 30, 50]), np.zeros(5, np.int32), cycles)
    wait_s, slowdown, queue = measured(jobs, schedule, 3600.0)
    assert (wait_s, slowdown) == (pytest.approx(30.0), pytest.approx(1.3))
    assert queue == pytest.approx(90.0 / (9150.0 - 3600.0))
    assert measured(jobs, schedule, 1e9)[0] == pytest.approx(40.0)  # at most half of the stream is left out


def test_a_quick_run_is_the_same_experiment_with_fewer_streams():
    quick, whole = StudySetup.quick(0), StudySetup()
    assert (quick.scale, quick.jobs, quick.highest_load) == (whole.scale, whole.jobs, whole.highest_load)
    assert quick.streams < whole.streams
    assert min(quick.betas) == min(whole.betas)


def test_the_smallest_factor_offers_the_highest_load_in_every_pool():
    for pool in "ABCD":
        for stream in synthetic_streams(pool, TINY):
            assert scarcer_load(stream.case) / stream.betas[0] == pytest.approx(TINY.highest_load)
            assert np.divide(stream.betas, stream.betas[-1]).tolist() == pytest.approx(list(TINY.betas))


def test_streams_of_buckets_on_record_are_not_made_again(tmp_path, monkeypatch):
    setup = replace(TINY, bucket_streams=1)
    first = synthetic_buckets(setup, tmp_path, lambda _: None)
    monkeypatch.setattr("loadmaster.papers.shai2014.buckets.stream", None)
    again = synthetic_buckets(setup, tmp_path, lambda _: None)
    assert [m.matched[0].tolist() for m in first["B"]] == [m.matched[0].tolist() for m in again["B"]]


def test_the_whole_reproduction_runs_and_goes_on_where_it_stopped(tmp_path, monkeypatch):
    options = StudyOptions(out=tmp_path)
    setup = replace(TINY, streams=1, betas=(0.58, 1.0))
    first = reproduce_with(setup, options)
    assert PAPERS["shai2014"].module == "loadmaster.papers.shai2014"
    where = {claim.where.split(",")[0] for claim in first.claims}
    assert where >= {"Table 2.1", "Figure 3.5", "Figure 4.4", "Figure 6.1", "Figure 6.2", "Figure 6.3", "Figure 6.4"}
    assert all(claim.gate for claim in first.claims if claim.verdict in ("holds", "differs"))
    for block in first.blocks:
        if hasattr(block, "chart"):
            block.chart.to_dict()
            assert "synthetic" in block.caption
    monkeypatch.setattr("loadmaster.runs.outcome.run_fully", None)
    assert reproduce_with(setup, options).claims == first.claims


def test_a_given_netbatch_log_is_counted_and_run(tmp_path):
    trace = generate_netbatch("D", scale=0.0002, seed=1)
    path = tmp_path / "Intel-NetbatchD-2012-1.swf"
    write_trace(trace.workload, path)
    jobs, users = counts(path)
    assert jobs == trace.workload.jobs
    assert users == len(np.unique(trace.workload.user))
    assert pool_of(path, jobs) == "D"
    found = log_claims("D", path, 9_054_066, 862, trace)
    assert [claim.verdict for claim in found] == ["holds", "holds", "differs", "differs"]
    result = reproduce_with(
        replace(TINY, bucket_streams=1, streams=1, betas=(0.58, 1.0)), StudyOptions(out=tmp_path, trace=path)
    )
    assert any(claim.claim.startswith("given log of pool D (synthetic)") for claim in result.claims)


def test_a_log_is_told_by_its_number_of_jobs_and_another_is_refused(tmp_path):
    assert pool_of(tmp_path / "log.swf", 13_368_191) == "A"
    with pytest.raises(InputError, match="none of the four"):
        pool_of(tmp_path / "wagap-2013.swf.gz", 17_900)


def test_without_a_log_the_table_is_not_measured():
    assert {claim.verdict for claim in missing_claims("ABCD")} == {"not measured"}


def test_the_real_log_runs_on_its_own_hosts(real_logs):
    stream = wagap_stream(real_logs, StudySetup())
    assert stream.case.cluster.hosts == 68
    assert stream.case.workload.jobs == 17_892
    assert not stream.case.workload.synthetic
