"""Two records compared: against a plain walk over the jobs, and on cases with a known answer."""

from dataclasses import replace

import numpy as np
import pytest

import loadmaster as lm
from loadmaster.runs.record_difference import record_difference

HOSTS = "2x4c"


def log(jobs=60, seed=1, tasks=2):
    rng = np.random.default_rng(seed)
    return lm.Workload.of(
        submit_s=np.sort(rng.integers(0, 3000, jobs)).tolist(),
        runtime_s=rng.integers(10, 600, jobs).tolist(),
        cores=rng.integers(1, 4, jobs).tolist(),
        tasks=rng.integers(1, tasks + 1, jobs).tolist(),
    )


def record(work, policy="first-fit", discipline="easy", **more):
    return lm.simulate(work, HOSTS, policy=policy, discipline=discipline, **more).record


def plainly(first, second):
    """For every job of both, walked one by one: by how much later it starts, and whether its hosts differ."""
    rows = {second.name_of(job): job for job in range(second.workload.jobs)}
    later, moved = [], []
    for job in range(first.workload.jobs):
        other = rows[first.name_of(job)]
        sides = [(first, job), (second, other)]
        delays = [each.schedule.start_s[at] - each.workload.submit_s[at] for each, at in sides]
        later.append(delays[1] - delays[0])
        names = []
        for each, at in sides:
            tasks = range(each.workload.first_task[at], each.workload.first_task[at + 1])
            names.append(sorted(each.case.cluster.name(int(each.schedule.host[task])) for task in tasks))
        moved.append(names[0] != names[1])
    return later, moved


@pytest.mark.parametrize("seed", range(4))
def test_it_agrees_with_a_walk_over_the_jobs(seed):
    work = log(seed=seed)
    first, second = record(work), record(work, "best-fit-cores", "sjf+conservative")
    difference = record_difference(first, second)
    later, moved = plainly(first, second)
    assert difference.later_s.tolist() == later
    assert difference.moved.tolist() == moved
    assert any(later)
    assert any(moved)
    assert difference.differs.sum() == sum(a != 0 or b for a, b in zip(later, moved, strict=True))


def test_a_record_and_itself_are_equal_and_one_other_host_is_seen():
    first = record(log())
    assert record_difference(first, first).equal
    host = first.schedule.host.copy()
    host[0] = 1 - host[0]
    other = record_difference(first, replace(first, schedule=replace(first.schedule, host=host)))
    assert other.differs.tolist() == [True] + [False] * (first.workload.jobs - 1)


def test_jobs_are_matched_by_name_where_one_record_has_fewer():
    work = replace(log(), job_id=np.arange(500, 560))
    first, second = record(work), record(work.take(slice(10, None)))
    difference = record_difference(first, second)
    assert difference.only == (first.workload.jobs - second.workload.jobs, 0)
    assert difference.only[0] > 0
    assert [first.name_of(a) for a, _ in difference.row] == [second.name_of(b) for _, b in difference.row]


def test_records_of_other_jobs_are_refused_in_one_line():
    first = record(log(jobs=5))
    named = replace(log(jobs=5), job_id=np.arange(100, 105))
    with pytest.raises(lm.InputError, match="no job in common"):
        record_difference(first, record(named))


def test_the_answer_counts_jobs_that_start_earlier_and_later():
    work = lm.Workload.of(submit_s=[0, 0, 0], runtime_s=[100, 50, 10], cores=[4, 4, 4])
    first, second = (lm.simulate(work, "1x4c", policy="first-fit", discipline=rule) for rule in ("fcfs", "sjf+easy"))
    result = lm.diff(first, second)
    assert result.answer == (
        "Of 3 jobs, 1 start later (by 1 min on average) and 2 start earlier (by 2 min on average). "
        "The mean wait is 23.3 s in the second run and 83.3 s in the first."
    )
    assert result.frame["later_s"].to_list() == [-150.0, -90.0, 60.0]


def test_one_job_is_explained_in_both_runs_with_the_time_between_its_starts(tmp_path):
    work = lm.Workload.of(submit_s=[0, 0, 0], runtime_s=[100, 50, 10], cores=[4, 4, 4])
    first, second = (lm.simulate(work, "1x4c", policy="first-fit", discipline=rule) for rule in ("fcfs", "sjf+easy"))
    told = lm.explain(first, 2, beside=second, out=tmp_path)
    assert told.answer == "Job 2 starts at 150 s (2.5 min) in the first run and at 0 s in the second, 2.5 min earlier."
    assert told.figures["beside"]["start_s"] == 0
    page = (tmp_path / "report.html").read_text()
    assert "In the first run" in page
    assert "In the second run" in page
    assert lm.open(tmp_path).answer == told.answer


def test_a_second_host_lets_the_job_start_at_once():
    work = lm.Workload.of(submit_s=[0, 0], runtime_s=[10, 10], cores=[1, 4])
    first, second = (lm.simulate(work, hosts, policy="first-fit", discipline="easy") for hosts in ("1x4c", "2x4c"))
    assert lm.explain(first, 1, beside=second).answer.endswith("10 s earlier.")
