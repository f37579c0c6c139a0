"""Samples are the same for every rule, kept, at the load requested; seeds only where the log can be made again."""

from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest
from small_case import busy_case

from loadmaster.measure.resample import WEEK_S
from loadmaster.model import Cluster, InputError, Workload
from loadmaster.results.dask_client import DaskAddress
from loadmaster.runs import Case, OnDask, Setting, Store, Threads, case_of
from loadmaster.runs.samples import (
    Drawing,
    drawing_for,
    from_bytes,
    make_run,
    run_samples,
    sampled,
    to_bytes,
    why_not_seeds,
    work_on,
)
from loadmaster.runs.samples import RunOnSample as Run
from loadmaster.traces import generate_netbatch, read_trace, write_trace
from loadmaster.traces.recipe import Recipe

TWO = [Setting("first-fit"), Setting("worse-fit-cores")]


@lru_cache
def long_case():
    """Six weeks of six users on one host, some of whom send all at once."""
    rng = np.random.default_rng(0)
    submit_s = np.sort(np.floor(rng.random(120) * 6 * WEEK_S / 3600) * 3600)
    submit_s[0], submit_s[-1] = 0.0, 6 * WEEK_S
    log = Workload.of(
        submit_s=submit_s,
        runtime_s=rng.integers(3600, 200_000, 120),
        cores=rng.integers(1, 5, 120),
        memory=np.ones(120),
        user=rng.integers(0, 6, 120),
    )
    return Case(log, Cluster.uniform(2, cores=4, memory=100))


class Counted:
    def __init__(self):
        self.made = []

    def __call__(self, work, tasks, watch):
        self.made += [(task.setting.policy, task.number) for task in tasks]
        return Threads(2)(work, tasks, watch)


def test_samples_are_kept_and_more_rules_or_samples_make_only_what_is_new(tmp_path):
    counted, users = Counted(), Drawing("users")
    store = Store.in_folder(tmp_path)
    first = run_samples(long_case(), TWO[:1], users, range(2), store, counted)
    more = run_samples(long_case(), TWO, users, range(3), store, counted)
    assert counted.made == [
        ("first-fit", 0),
        ("first-fit", 1),
        ("worse-fit-cores", 0),
        ("worse-fit-cores", 1),
        ("first-fit", 2),
        ("worse-fit-cores", 2),
    ]
    assert more[0][:2] == first[0]
    store.close()


def test_other_draws_are_other_runs_and_a_run_survives_being_kept():
    runs = [
        run_samples(long_case(), TWO[:1], drawing, [0], None, Threads(1))[0][0]
        for drawing in (Drawing("users"), Drawing("users", 1), Drawing("weeks"), Drawing("shake"))
    ]
    assert len({run.mean_wait_s for run in runs}) == 4
    assert [from_bytes(to_bytes(run)) for run in runs] == runs


@pytest.mark.parametrize("how", ["users", "weeks", "shake"])
def test_every_sample_offers_the_load_that_is_asked_for(how):
    case, seen = long_case(), []

    def moved(_steps):
        seen.append(1)

    for beta in (1.0, 0.5):
        setting = replace(TWO[0], beta=beta)
        run = make_run(case, Run(setting, {}, Drawing(how), 3), moved)
        drawn = sampled(case, Drawing(how), 3).workload
        own = drawn.offered_load(case.cluster)
        scaled = drawn.scaled(own / (case.load / beta))
        assert scaled.offered_load(case.cluster) == pytest.approx(case.load / beta)
        assert run.jobs == scaled.jobs


def test_seeds_make_other_logs_of_the_same_generator_and_never_the_log_itself():
    case = busy_case()
    assert why_not_seeds(case) == ""
    logs = [sampled(case, Drawing("seeds"), number).workload for number in range(5)]
    assert [log.source[-6:] for log in logs] == ["seed 0", "seed 1", "seed 2", "seed 4", "seed 5"], "it is seed 3"
    assert {log.jobs for log in logs} == {case.workload.jobs}


def test_another_seed_of_the_comparison_draws_other_logs():
    first, other = (sampled(busy_case(), Drawing("seeds", seed), 0).workload for seed in (0, 1))
    assert not np.array_equal(first.runtime_s, other.runtime_s)


def test_a_log_that_its_recipe_does_not_make_is_not_made_again():
    case = busy_case()
    assert case.recipe is not None
    changed = replace(case, workload=case.workload.scaled(0.5))
    assert "do not make this log" in why_not_seeds(changed)
    fewer = replace(case, recipe=Recipe("netbatch", {**case.recipe.parameters, "jobs": 10}, case.recipe.seed))
    assert "fewer jobs" in why_not_seeds(fewer)
    assert "carries" in why_not_seeds(replace(case, recipe=None))
    with pytest.raises(InputError, match="do not make this log"):
        drawing_for(changed, "seeds", 0)


def test_the_first_jobs_of_a_made_log_can_be_made_again():
    case = busy_case()
    limited = replace(case, workload=case.workload.take(slice(0, 100)))
    assert why_not_seeds(limited) == ""
    assert sampled(limited, Drawing("seeds"), 0).workload.jobs == 100


@pytest.mark.parametrize("name", ["log.swf", "log.csv", "log.parquet"])
@pytest.mark.parametrize("spread", ["single-host", "any"])
def test_a_made_log_read_from_its_file_can_be_made_again_as_that_file_has_it(tmp_path, name, spread):
    made = generate_netbatch("A", jobs=300, hosts=10, seed=4)
    write_trace(made.workload, tmp_path / name, recipe=made.recipe)
    case = case_of(read_trace(tmp_path / name), made.cluster, spread)
    assert why_not_seeds(case) == ""
    assert (sampled(case, Drawing("seeds"), 0).workload.tasks is None) == (case.workload.tasks is None)


def test_how_to_draw_is_chosen_by_what_the_log_allows():
    assert drawing_for(busy_case(), "", 0).how == "seeds"
    assert drawing_for(long_case(), "", 7) == Drawing("users", 7)
    short = replace(long_case(), workload=long_case().workload.take(slice(0, 20)))
    assert drawing_for(short, "", 0).how == "shake"
    assert drawing_for(short, "weeks", 0).how == "weeks"
    with pytest.raises(InputError, match="no such way"):
        drawing_for(short, "bootstrap", 0)


def test_runs_on_samples_are_another_kind_of_result_than_runs_on_the_log():
    assert work_on(long_case()).kind == "sample"


def test_samples_come_out_the_same_on_a_dask_cluster(tmp_path):
    distributed = pytest.importorskip("distributed", reason="the extra `dask` is not installed")
    ways = [(long_case(), Drawing("users")), (long_case(), Drawing("weeks", 1)), (busy_case(), Drawing("seeds"))]
    with distributed.LocalCluster(n_workers=1, threads_per_worker=2, dashboard_address="127.0.0.1:0") as cluster:
        there = OnDask(DaskAddress(cluster.scheduler_address))
        for case, drawing in ways:
            found = [run_samples(case, TWO, drawing, range(3), None, pool) for pool in (Threads(1), there)]
            assert found[0] == found[1]
            assert len({run.mean_wait_s for run in found[0][0]}) == 3
