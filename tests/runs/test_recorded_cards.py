"""The record of a run keeps the GPUs of each task, and `explain` decides each start again on the same GPUs (Q22)."""

from dataclasses import replace

import numpy as np
import pytest

from loadmaster.model import Cluster, Constraints, InputError, Named, SiteRules, Workload
from loadmaster.model.cards import cards_in
from loadmaster.report.explanation import as_plain, sentences
from loadmaster.runs import Setting, case_of, run_fully
from loadmaster.runs.explain import explain
from loadmaster.runs.plain_engine_rate import jobs_a_second
from loadmaster.runs.record import Record, read_record, write_record
from loadmaster.sim.queue.card_runs import refuse_cards
from loadmaster.traces import Trace

SHARED = Workload.of(
    submit_s=[0, 0, 0, 0, 5], runtime_s=[100, 100, 100, 10, 5], cores=[1] * 5, gpus=[0.6, 0.6, 0.8, 2, 0.4]
)
TWO_CARDS = Cluster.uniform(2, cores=2, gpus=2)


def record_of(workload, discipline="easy", cluster=TWO_CARDS):
    case, setting = case_of(Trace(workload), cluster, "any"), Setting("mix-fit", discipline)
    _, schedule, _ = run_fully(case, setting, {})
    return Record(case, setting, case.workload, schedule)


def many(tasks=None):
    rng = np.random.default_rng(7)
    return Workload(
        ("cores", "gpus"),
        np.sort(rng.integers(0, 60, 60)).astype(float),
        rng.integers(1, 40, 60).astype(float),
        np.column_stack([np.ones(60), rng.choice([0.25, 0.4, 0.6, 1.0, 2.0], 60)]),
        tasks=tasks,
    )


@pytest.mark.parametrize("discipline", ["lxf+none", "easy", "conservative"])
@pytest.mark.parametrize("bound", [False, True], ids=["unbound", "with kinds of GPU"])
def test_every_start_is_decided_again_on_the_same_gpus(discipline, bound):
    workload, cluster = many(), TWO_CARDS
    if bound:
        kinds = ["a100" if job % 3 == 0 else None for job in range(workload.jobs)]
        workload = replace(workload, constraints=Constraints(features=Named.of(kinds)))
        cluster = replace(cluster, rules=SiteRules(features=(("t4",), ("a100",))))
    record = record_of(workload, discipline, cluster)
    for job, bits in enumerate(record.schedule.cards.tolist()):
        told = explain(record, job)
        assert told.choice.same, f"job {job}"
        assert as_plain(record, told)["cards"] == [cards_in(bits)]


@pytest.mark.parametrize("tasks", [None, np.where(np.arange(60) % 4, 1, 2).astype(np.int32)], ids=["one", "several"])
def test_a_record_on_disk_has_the_gpus_of_each_task(tmp_path, tasks):
    record = record_of(many(tasks))
    write_record(tmp_path / "run", record)
    assert read_record(tmp_path / "run").schedule.same_as(record.schedule)


def test_explain_names_the_gpus_and_what_lacked():
    record = record_of(SHARED, cluster=Cluster.uniform(1, cores=8, gpus=2))
    told = explain(record, 2)
    text = " ".join(sentences(record, told))
    assert "on host 0, GPU 0" in text
    assert "then no host had enough free on one GPU" in text
    assert "Host 0 had room for it from 100 s on" in text
    assert as_plain(record, told)["cards"] == [[0]]
    assert "GPUs 0, 1" in " ".join(sentences(record, explain(record, 3)))


def test_a_twin_is_refused_before_its_rate_is_measured():
    case = case_of(Trace(SHARED), TWO_CARDS)
    with pytest.raises(InputError, match="a twin is not simulated where jobs request parts of a GPU"):
        jobs_a_second(case, Setting("first-fit", "twin"), {})


def test_what_does_not_know_gpus_refuses_parts_of_them():
    with pytest.raises(InputError, match="a live run does not know which GPU each task has"):
        refuse_cards(SHARED, TWO_CARDS, "a live run")
    refuse_cards(replace(SHARED, demand=np.ceil(SHARED.demand)), TWO_CARDS, "a live run")
