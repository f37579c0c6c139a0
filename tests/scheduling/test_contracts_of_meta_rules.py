"""Every registered meta-rule follows one of its members, says what each was worth, and is the same in every engine."""

from dataclasses import replace

import numpy as np
import pytest
from bound_jobs import bound_jobs
from random_passes import snapshot_at_random

from loadmaster.measure.check import violations
from loadmaster.model import Cluster, Workload
from loadmaster.place import POLICIES
from loadmaster.scheduling import Scheduler, members_of, scheduler
from loadmaster.scheduling import discipline_named as named
from loadmaster.scheduling.meta_rules import META_RULES, meta_rule_named
from loadmaster.sim.queue import simulate
from loadmaster.traces import generate_netbatch

RULES = [meta_rule_named(name) for name in META_RULES]
RULES += [meta_rule_named(f"{rule.name}(members=worse-fit-cores)") for rule in RULES if "members" in vars(rule)]
DISCIPLINES = [named(text) for text in ("netbatch", "easy", "sjf+conservative", "slurm", "wfp3+selective")]
every_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: f"{rule.name} of {len(rule.members)}")
every_discipline = pytest.mark.parametrize("discipline", DISCIPLINES, ids=str)


def snapshots():
    return [replace(snapshot_at_random(np.random.default_rng(seed)), closures=()) for seed in range(12)]


@every_rule
@every_discipline
def test_it_does_what_the_member_would_do_that_it_follows(rule, discipline):
    for snapshot in snapshots():
        decision = Scheduler(rule, discipline).decide_plainly(snapshot)
        member = members_of(rule)[decision.chosen]
        alone = Scheduler(member, discipline).decide_plainly(snapshot)
        assert decision == replace(alone, winners=decision.winners, chosen=decision.chosen)
        assert decision.winners >> decision.chosen & 1
        assert [option.member for option in decision.options] == [each.name for each in members_of(rule)]
        assert decision.options[decision.chosen].started == len(decision.place)


@every_rule
@every_discipline
def test_the_same_snapshot_gets_the_same_choice_compiled_or_not(rule, discipline, monkeypatch):
    monkeypatch.setattr(scheduler, "WORTHWHILE", 1)
    for snapshot in snapshots():
        once, again = (Scheduler(rule, discipline).decide(snapshot) for _ in range(2))
        plain = Scheduler(rule, discipline).decide_plainly(snapshot)
        assert once == again == plain
        assert once.options == again.options == plain.options


@every_rule
@pytest.mark.parametrize("kinds", [(), ("partition", "limits", "calendar")], ids=str)
def test_engines_make_the_same_choices_and_break_nothing(rule, kinds):
    for seed in range(4):
        workload, cluster = bound_jobs(seed, *kinds)
        plain, quick = (
            simulate(workload, cluster, rule, named("easy"), interval_s=0.0, seed=3, engine=engine)
            for engine in ("reference", "auto")
        )
        assert plain.same_as(quick)
        assert not violations(workload, cluster, quick)
        assert same_choices(plain, quick)


@every_rule
def test_it_makes_the_same_choices_where_hosts_are_reserved(rule):
    # Figure 3.1 of Shai 2014 twice: best-fit starts six of the first eight jobs, worse-fit all.
    memory = [16, 16, *[4] * 6] * 2
    jobs = Workload.of(submit_s=[0] * 8 + [40] * 8, runtime_s=[25] * 16, cores=[1] * 16, memory=memory)
    hosts = Cluster.uniform(2, cores=4, memory=32)
    plain, quick = (
        simulate(jobs, hosts, rule, named("netbatch"), interval_s=30.0, engine=engine)
        for engine in ("reference", "compiled")
    )
    assert same_choices(plain, quick)
    assert len(plain.cycles.choices.cycle) > 0 or len(members_of(rule)) == 1


def same_choices(one, other):
    """Whom they followed, and what members were worth where both have worked that out."""
    one, other = one.cycles.choices, other.cycles.choices
    both = sorted(set(one.cycle.tolist()) & set(other.cycle.tolist()))
    values = [each.value[np.isin(each.cycle, both)] for each in (one, other)]
    known = ~np.isnan(values[0]) & ~np.isnan(values[1])
    return (
        one.members == other.members
        and np.array_equal(one.chosen, other.chosen)
        and np.array_equal(values[0][known], values[1][known])
        and (len(one.cycle) == 0 or known.any())
    )


def test_a_single_policy_makes_no_choices():
    trace = generate_netbatch("A", jobs=40, hosts=6, load=1.5, seed=3)
    for engine in ("reference", "compiled"):
        schedule = simulate(
            trace.workload, trace.cluster, POLICIES["mix-fit"], named("netbatch"), interval_s=30.0, engine=engine
        )
        assert schedule.cycles.choices is None
        assert not schedule.cycles.winners.any()
