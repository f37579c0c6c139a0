from dataclasses import replace

import numpy as np
import pytest

from loadmaster.model import CalendarRow, Cluster, Constraints, Dependencies, InputError, SiteRules, Workload
from loadmaster.results.store import Store
from loadmaster.runs import Case, Setting, Threads
from loadmaster.runs.sweep import sweep
from loadmaster.search.possible import SearchTask, from_bytes, look, no_higher_than_runs, possible, to_bytes


def crowded(**more):
    jobs = 40
    rng = np.random.default_rng(0)
    submit_s, cores = np.sort(rng.integers(0, 300, jobs)), rng.integers(1, 4, jobs)
    workload = Workload.of(submit_s=submit_s, runtime_s=rng.integers(10, 200, jobs), cores=cores, **more)
    return Case(workload, Cluster.uniform(2, cores=4))


def test_bound_and_best_found_of_every_load_are_kept_and_never_looked_for_again(tmp_path):
    settings = [Setting("first-fit"), Setting("mix-fit"), Setting("first-fit", beta=0.5)]
    store = Store.in_folder(tmp_path)
    one = possible(crowded(), settings, 0.3, store, Threads(1))
    assert [each.beta for each in one] == [1.0, 0.5]
    assert all(0.0 < each.bound_s <= each.found["mean_wait_s"] for each in one)
    assert one[0].bound_s < one[1].bound_s  # the higher load
    assert possible(crowded(), settings, 0.3, store, Threads(1)) == one


def test_what_is_kept_is_read_back_as_it_was():
    each = look(crowded(), SearchTask(1.0, 0.2, 0), lambda _steps: None)
    assert repr(from_bytes(to_bytes(each))) == repr(each)  # a metric that is not known is NaN


def test_where_dependencies_bind_there_is_a_bound_and_no_best_found():
    depends = Constraints(depends=Dependencies.of([""] * 39 + ["afterok:0"]))
    each = look(crowded(constraints=depends), SearchTask(1.0, 0.1, 0), lambda _steps: None)
    assert each.bound_s > 0.0
    assert (each.found, each.because) == (None, "dependencies")


def test_a_run_that_is_lower_than_what_the_search_found_is_the_best_found_and_no_other():
    case = crowded()
    found = possible(case, [Setting("first-fit")], 0.1, None, Threads(1))
    (run,) = sweep(case, [Setting("first-fit")], None, Threads(1))

    def beside(mean_wait_s, **more):
        metrics = replace(run.metrics, mean_wait_s=mean_wait_s, **more)
        return replace(run, metrics=metrics, values=run.values | {"mean_wait_s": mean_wait_s})

    lower, above = found[0].found["mean_wait_s"] - 1.0, found[0].found["mean_wait_s"] + 1.0
    assert no_higher_than_runs(found, [beside(above), beside(0.0, unstarted=1)]) == found
    elsewhere = replace(beside(lower), setting=Setting("first-fit", beta=0.5))
    assert no_higher_than_runs(found, [elsewhere]) == found
    (taken,) = no_higher_than_runs(found, [beside(above), beside(lower)])
    assert (taken.found["mean_wait_s"], taken.run) == (lower, Setting("first-fit"))
    assert taken.bound_s == found[0].bound_s


def test_runs_that_kill_and_hosts_that_go_down_have_no_bound_and_nothing_is_searched():
    with pytest.raises(InputError, match="--overrun kill"):
        possible(crowded(), [Setting("first-fit", overrun="kill")], 1e9, None, Threads(1))
    rules = SiteRules(calendar=(CalendarRow(0.0, 9.0, "down"),))
    down = Case(crowded().workload, Cluster(("cores",), np.full((2, 1), 4.0), rules=rules))
    with pytest.raises(InputError, match="go down"):
        possible(down, [Setting("first-fit")], 1e9, None, Threads(1))


def test_whoever_stops_the_study_stops_the_search():
    class Stop(Exception):
        pass

    def moved(_steps):
        raise Stop

    with pytest.raises(Stop):
        look(crowded(), SearchTask(1.0, 1e9, 0), moved)
