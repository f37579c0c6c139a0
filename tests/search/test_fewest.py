from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from loadmaster.model import Cluster, Constraints, Named, SiteRules, Workload
from loadmaster.model.energy import HostPower
from loadmaster.runs import Case, Setting, Threads
from loadmaster.runs.sweep import sweep
from loadmaster.search.fewest import Target, fewest, holds_all, least_enough
from loadmaster.traces.host_range import proportions_of, range_of

MINUTE = Target(p95_s=60.0)


def asked(case, settings, target=MINUTE, machines=None):
    machines = machines or proportions_of(case.cluster, "given")
    return fewest(case, machines, settings, target, None, Threads(1))


def busy(hosts=6):
    rng = np.random.default_rng(1)
    jobs = 120
    submit_s, cores = np.sort(rng.integers(0, 2000, jobs)), rng.integers(1, 4, jobs)
    workload = Workload.of(submit_s=submit_s, runtime_s=rng.integers(20, 200, jobs), cores=cores)
    return Case(workload, Cluster(("cores",), np.full((hosts, 1), 4.0)))


def p95_s(case, hosts, setting):
    (ran,) = sweep(Case(case.workload, Cluster.uniform(hosts, cores=4)), [setting], None, Threads(1))
    return ran.metrics.p95_wait_s


def test_the_fewest_hosts_meet_the_target_and_one_fewer_does_not():
    case, setting = busy(), Setting("first-fit", "easy", interval_s=0.0)
    (found,) = asked(case, [setting])
    assert found.outcome.metrics.p95_wait_s == p95_s(case, found.number, setting) <= 60.0
    assert p95_s(case, found.number - 1, setting) > 60.0
    assert found.cluster.hosts == found.number


def test_more_machines_than_given_are_tried_and_in_the_end_no_more():
    case, setting = busy(hosts=1), Setting("first-fit", "easy", interval_s=0.0)
    (found,) = asked(case, [setting])
    assert 1 < found.number <= 8
    (none,) = asked(case, [Setting("first-fit", "easy", interval_s=300.0)], Target(p95_s=0.0))
    assert none.number is None
    assert none.cluster is None


def test_too_few_hosts_for_the_widest_job_are_never_run():
    wide = Workload.of(submit_s=[0], runtime_s=[1], cores=[4], tasks=[3])
    assert [holds_all(wide, Cluster.uniform(n, cores=4)) for n in (2, 3)] == [False, True]
    (found,) = asked(Case(wide, Cluster.uniform(5, cores=4)), [Setting("first-fit")])
    assert found.number == 3


def test_all_waits_that_a_target_names_must_hold():
    case, setting = busy(), Setting("first-fit", "easy", interval_s=0.0)
    one, other, both = (
        asked(case, [setting], target)[0].number
        for target in (Target(p95_s=60.0), Target(mean_s=0.5), Target(mean_s=0.5, p95_s=60.0))
    )
    assert both == max(one, other)
    assert one != other


def test_only_the_numbers_of_a_range_are_tried_and_the_other_hosts_are_always_there():
    case, setting = busy(), Setting("first-fit", "easy", interval_s=0.0)
    alone = asked(case, [setting], machines=range_of("1..30x4c"))[0].number
    with_two = asked(case, [setting], machines=range_of("1..30x4c,2x4c"))[0]
    assert with_two.number == alone - 2
    assert with_two.cluster.hosts == alone
    assert asked(case, [setting], machines=range_of(f"1..{alone - 1}x4c"))[0].number is None
    assert asked(case, [setting], machines=range_of(f"{alone + 2}..30x4c"))[0].number == alone + 2


@given(st.integers(1, 50), st.integers(0, 60), st.integers(0, 120))
def test_the_least_number_is_found_wherever_it_lies(least, more, needed):
    asked_of = []

    def enough(number):
        asked_of.append(number)
        return number >= needed

    found = least_enough(least, least + more, enough)
    assert found == (max(least, needed) if needed <= least + more else None)
    assert len(asked_of) == len(set(asked_of))
    assert all(least <= number <= least + more for number in asked_of)


def one_after_another(**rules):
    """Two jobs of 60 s at once, each of which requests 4 cores and 2 licences."""
    bound = Constraints(licences=Named.of(["m:2", "m:2"]))
    jobs = Workload.of(submit_s=[0, 0], runtime_s=[60, 60], cores=[4, 4], constraints=bound)
    return Case(jobs, replace(Cluster.uniform(2, cores=4), rules=SiteRules(**rules)))


NO_WAIT = Target(mean_s=0.0)
EASY = Setting("first-fit", "easy", interval_s=0.0)
DRAW = (HostPower((0, 1), ((0.0, 100.0), (1.0, 200.0))),)


def test_licences_do_not_grow_with_the_hosts_and_the_run_without_them_says_what_binds():
    (found,) = asked(one_after_another(licences=(("m", 4.0),)), [EASY], NO_WAIT)
    assert found.number == 2
    assert found.uncounted is None
    (none,) = asked(one_after_another(licences=(("m", 3.0),)), [EASY], NO_WAIT)
    assert none.number is None
    assert NO_WAIT.met_by(none.uncounted.metrics)
    assert {outcome.metrics.mean_wait_s for _, outcome in none.tried} == {30.0}


def test_under_a_power_cap_one_host_more_may_be_too_many():
    """Each job draws 100 W. Of 400 W two idle hosts leave 200 W to the jobs, three leave 100 W, four none."""

    def fewest_under(watts, least=1):
        case = one_after_another(power=DRAW, power_cap=((0.0, watts),))
        return asked(case, [EASY], NO_WAIT, replace(proportions_of(without_cap(case.cluster), "given"), least=least))[0]

    assert fewest_under(400.0).number == 2
    assert [number for number, _ in fewest_under(400.0).tried] == [1, 2]
    none = fewest_under(400.0, least=3)
    assert [number for number, _ in none.tried] == [3, 4]  # five idle hosts draw 500 W
    assert none.number is None
    assert NO_WAIT.met_by(none.uncounted.metrics)


def without_cap(cluster):
    return replace(cluster, rules=replace(cluster.rules, power_cap=()))


def test_hosts_that_draw_the_whole_cap_when_idle_hold_no_job():
    power = SiteRules(power=(HostPower((0, 1), ((0.0, 100.0), (1.0, 200.0))),), power_cap=((0.0, 199.0),))
    idle = replace(Cluster.uniform(2, cores=4), rules=power)
    job = Workload.of(submit_s=[0], runtime_s=[1], cores=[1])
    assert not holds_all(job, idle)
    assert holds_all(job, replace(idle, rules=replace(power, power_cap=((0.0, 201.0),))))


class Looks:
    """A deadline that is over after so many looks at it."""

    def __init__(self, many):
        self.left = many

    def passed(self):
        self.left -= 1
        return self.left < 0


def test_a_search_that_is_ended_gives_the_fewest_hosts_that_were_run_and_met_the_target():
    case, setting = busy(), Setting("first-fit", "easy", interval_s=0.0)
    machines = proportions_of(case.cluster, "given")
    (whole,) = asked(case, [setting])
    for many in range(len(whole.tried)):
        (part,) = fewest(case, machines, [setting], MINUTE, None, Threads(1), deadline=Looks(many))
        met = [number for number, run in part.tried if MINUTE.met_by(run.metrics)]
        assert part.ended
        assert len(part.tried) == many
        assert part.number == min(met, default=None)
        assert part.missed < whole.number <= (part.number or whole.number)
    (same,) = fewest(case, machines, [setting], MINUTE, None, Threads(1), deadline=Looks(len(whole.tried)))
    assert (same.number, same.ended, whole.ended) == (whole.number, False, False)
