"""On which hosts jobs really ran: read off the names of a log, drawn and compared where the machines bear them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import loadmaster as lm
from loadmaster.measure.recorded_hosts import on_hosts, overfull, recorded_hosts, same_hosts
from loadmaster.measure.timeline import timeline
from loadmaster.model import Cluster, InputError, Named, Schedule, Workload
from loadmaster.place.load import policy_named
from loadmaster.scheduling.notation import discipline_named
from loadmaster.sim.queue import simulate
from loadmaster.traces import read_trace, write_trace
from loadmaster.traces.masking import masked
from loadmaster.traces.trace import Trace

TWO = Cluster(("cores", "memory"), np.array([[4.0, 8.0], [4.0, 8.0]]), ("n1", "n2"))


def jobs(ran_on, **columns):
    """Jobs of one core that ran on these hosts, ten seconds each, one after the other."""
    many = len(ran_on)
    usual = {"runtime_s": [10] * many, "cores": [1] * many, "memory": [1] * many, "recorded_wait_s": [0.0] * many}
    return Workload.of(submit_s=np.arange(many) * 10.0, recorded_hosts=Named.of(ran_on), **usual | columns)


def test_hosts_are_known_of_one_host_and_of_as_many_hosts_as_tasks():
    work = jobs(["n2", "n[1-2]", "n1,n2", "n1", None], tasks=[1, 2, 1, 2, 1])
    assert recorded_hosts(work, TWO).tolist() == [1, 0, 1, -1, 0, 0, -1]


@pytest.mark.parametrize("text", ["n3", "n[1-3]", "n[1", "n[2-1]", "N1"])
def test_a_list_with_a_host_that_the_cluster_lacks_or_that_is_no_list_is_not_known(text):
    assert recorded_hosts(jobs([text, "n1"]), TWO).tolist() == [-1, 0]


def test_a_host_whose_name_holds_brackets_is_found_by_its_name():
    cluster = Cluster(("cores",), np.ones((1, 1)), ("rack[a]",))
    work = Workload.of(submit_s=[0], runtime_s=[1], cores=[1], recorded_hosts=Named.of(["rack[a]"]))
    assert recorded_hosts(work, cluster).tolist() == [0]


def test_without_names_of_machines_nothing_is_known():
    work = jobs(["n1", "n2"])
    assert recorded_hosts(work, Cluster.uniform(2, cores=4, memory=8)).tolist() == [-1, -1]
    assert on_hosts(work, Cluster.uniform(2, cores=4, memory=8)) is None


def test_more_than_a_hundredth_unknown_draws_nothing_and_a_single_one_leaves_the_number_out():
    assert on_hosts(jobs(["n1"] * 9 + [None]), TWO) is None
    found = on_hosts(jobs(["n1"] * 150 + [None]), TWO)
    assert (found.unknown, found.stranded) == (1, {})
    assert set(on_hosts(jobs(["n1"] * 150), TWO).stranded) == {"cores", "memory"}


def test_what_is_stranded_is_worked_out_as_of_a_run():
    work = jobs(["n1", "n1"], cores=[4, 1], memory=[1, 1])  # the first fills the cores and leaves 7 of memory
    found = on_hosts(work, TWO)
    assert found.stranded["memory"] == pytest.approx(7 / 16, rel=1e-2)
    assert found.use.used[0].tolist() == [0.5, 1 / 16]


def test_a_host_with_more_than_it_has_is_told_for_as_long_as_that_was():
    work = jobs(["n1", "n1", "n2"], runtime_s=[20, 5, 1], cores=[3, 2, 1])  # 10 to 15 s on one of two hosts of 20 s
    assert on_hosts(work, TWO).overfull == 5 / (20 * 2)


def test_room_that_an_end_makes_at_the_same_moment_is_room():
    work = jobs(["n1", "n1", "n2"], cores=[4, 4, 1])
    assert on_hosts(work, TWO).overfull == 0


def test_the_same_hosts_are_those_with_as_many_tasks_on_each():
    work = jobs(["n[1-2]", "n1", "n2", None], tasks=[2, 1, 1, 1])
    plain = on_hosts(jobs(["n1"]), TWO).schedule.cycles
    run = Schedule(work.submit_s, np.array([1, 0, 0, 0, 1], np.int32), plain)
    assert same_hosts(work, TWO, run) == pytest.approx(2 / 3)  # the third of those that are known ran elsewhere
    assert same_hosts(jobs([None, None]), TWO, Schedule(np.zeros(2), np.zeros(2, np.int32), plain)) is None


ROW = st.tuples(st.integers(0, 60), st.integers(1, 30), st.integers(1, 2), st.integers(1, 2))
"""Submission, runtime, cores and tasks of a job."""


@settings(max_examples=20, deadline=None)
@given(st.lists(ROW, min_size=1, max_size=12), st.sampled_from([".csv", ".parquet"]))
def test_a_schedule_that_is_written_as_a_record_comes_back_whole(tmp_path_factory, rows, ending):
    submit, runtime, cores, tasks = zip(*sorted(rows), strict=True)
    submit = np.array(submit) - submit[0]
    work = Workload.of(submit_s=submit, runtime_s=runtime, cores=cores, memory=[1] * len(rows), tasks=tasks)
    run = simulate(work, TWO, policy_named("first-fit"), discipline_named("fcfs"), interval_s=0.0)
    first = work.first_task
    hosts = [run.host[first[j] : first[j + 1]] for j in range(work.jobs)]
    names = Named.of([",".join(TWO.names[h] for h in sorted(each)) for each in hosts])
    told = Workload.of(
        submit_s=submit,
        runtime_s=runtime,
        cores=cores,
        memory=[1] * len(rows),
        tasks=tasks,
        recorded_wait_s=run.start_s - submit,
        recorded_hosts=names,
    )
    path = tmp_path_factory.mktemp("log") / f"log{ending}"
    write_trace(told, path)
    read = read_trace(path).workload
    assert read.recorded_hosts.words() == names.words()
    found = on_hosts(read, TWO)
    assert found.unknown == 0
    assert found.overfull == overfull(work, TWO, run) == 0
    assert same_hosts(read, TWO, run) == 1
    assert np.array_equal(found.use.used, timeline(work, TWO, run).used)


def test_a_comparison_draws_the_record_and_tells_the_same_hosts(tmp_path):
    made = lm.compare(jobs(["n1", "n2", "n2"]), TWO, policies="first-fit", disciplines="fcfs")
    rows = made.frame.to_dicts()
    assert (rows[0]["kind"], rows[0]["stranded_cores"]) == ("recorded", 0)
    assert rows[1]["same_hosts"] == pytest.approx(1 / 3)
    headings = [block.text for block in made.page().blocks if type(block).__name__ == "Heading"]
    assert "Recorded: the hosts over time" in headings
    assert "Recorded: the jobs on each host" in headings
    assert len(set(str(made.recorded_gantt().to_dict()).split("'host': "))) > 2
    assert "'recorded'" in str([block.chart.to_dict() for block in made.page().blocks if hasattr(block, "chart")])


def test_of_other_machines_no_gantt_of_the_record_is_drawn():
    made = lm.compare(jobs(["n1", "n2"]), "2x4c8g", policies="first-fit", disciplines="fcfs")
    with pytest.raises(InputError, match="not known on which of these hosts its jobs really ran"):
        made.recorded_gantt()
    assert "same_hosts" not in made.frame.columns


def test_arrivals_that_are_scaled_and_names_that_are_masked_lose_the_hosts():
    work = jobs(["n1", "n2"])
    assert work.scaled(0.5).recorded_hosts is None
    assert masked(Trace(work), b"key").workload.recorded_hosts is None


def test_jobs_that_are_chosen_keep_their_hosts():
    assert jobs(["n1", "n2", None]).take(np.array([1, 2])).recorded_hosts.words() == ["n2", None]
