"""Meta-rules of the user's own: named as a policy is, tried on other snapshots, refused in one line (rule Q18)."""

from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from snapshots import placed, snapshot

from loadmaster.model import InputError
from loadmaster.place import POLICIES, Policy
from loadmaster.runs import Setting, policy_of, sources_of
from loadmaster.scheduling import Chosen, MaxJobs, Scheduler, best_of, discipline_named, members_of
from loadmaster.scheduling.meta_rules import meta_rule_named, remarks_on
from loadmaster.sim.queue import simulate
from loadmaster.traces import generate_netbatch

FCFS = discipline_named("fcfs+skip")
TWO_HOSTS = snapshot([(4, 32)] * 2, [(2, 32), (4, 32)], [(1, 8)] * 2)
FILE = '''
from dataclasses import dataclass

from loadmaster.place import Policy
from loadmaster.scheduling import best_of


def last(demand, free, capacity, context):
    return -float(context.host)


@dataclass(frozen=True)
class Turns:
    """Follows one member after another, by the clock."""

    every_s: float = 60.0
    members = ("best-fit-cores", Policy("last", last, contextual=True))

    def choose(self, snapshot, trials):
        turn = int(snapshot.now_s // self.every_s) % len(trials)
        return best_of([float(m == turn) for m in range(len(trials))])


class NoMembers:
    def choose(self, snapshot, trials):
        return best_of([0.0])


class Slow:
    members = ("mix-fit", "mix-fut")

    def choose(self, snapshot, trials):
        return best_of([0.0, 0.0])
'''


@pytest.fixture
def own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(FILE)


def test_a_class_in_a_file_is_a_meta_rule_with_its_parameters(own):
    setting = Setting("mine.py:Turns(every_s=30)")
    sources = sources_of(setting)
    rule = policy_of(setting, sources)
    assert (rule.name, rule.every_s) == ("mine.py:Turns", 30.0)
    assert sources == {"mine.py": FILE}
    assert [member.name for member in members_of(rule)] == ["best-fit-cores", "last"]
    first = Scheduler(rule, FCFS).decide(TWO_HOSTS)
    then = Scheduler(rule, FCFS).decide(replace(TWO_HOSTS, now_s=30.0))
    assert (placed(first), first.chosen) == ([(0, 0), (1, 0)], 0)
    assert (placed(then), then.chosen) == ([(0, 1), (1, 1)], 1)


def test_it_is_simulated_and_its_choices_are_logged(own):
    trace = generate_netbatch("A", jobs=60, hosts=4, load=1.2, seed=3)
    rule = meta_rule_named("mine.py:Turns")
    choices = simulate(trace.workload, trace.cluster, rule, discipline_named("easy")).cycles.choices
    assert choices.members == ("best-fit-cores", "last")
    assert set(choices.chosen.tolist()) == {0, 1}
    assert (choices.value.sum(axis=1) == 1.0).all()


def test_members_can_be_tried_on_another_snapshot_and_who_was_not_tried_is_said():
    @dataclass(frozen=True)
    class Later:
        members = ("best-fit-cores", "worse-fit-cores")
        name = "later"

        def choose(self, snapshot, trials):
            emptied = replace(snapshot, free=snapshot.cluster.capacity.copy())
            assert placed(trials[0].decide(emptied)) == [(0, 0), (1, 0)]
            return Chosen(1, [None, float(len(trials[1].now.place))])

    decision = Scheduler(Later(), FCFS).decide_plainly(TWO_HOSTS)
    assert [(each.member, each.started, each.value) for each in decision.options] == [
        ("best-fit-cores", None, None),
        ("worse-fit-cores", 2, 2.0),
    ]
    assert decision.winners == 0b10


def test_the_first_of_the_best_is_taken_and_none_stands_for_not_tried():
    assert best_of([None, 2.0, 3.0, 3.0]) == Chosen(2, [None, 2.0, 3.0, 3.0])


@pytest.mark.parametrize(
    ("chosen", "said"),
    [
        (Chosen(2, [0.0, 0.0]), "a meta-rule chooses one of its members, and says what each is worth"),
        (Chosen(0, [0.0]), "a meta-rule chooses one of its members"),
        (Chosen(0, [None, 1.0]), "a meta-rule chooses one of its members"),
        (None, "a meta-rule chooses one of its members"),
        (Chosen(0, [float("nan"), 1.0]), "must be a finite number"),
        (1 / 3, "a meta-rule chooses one of its members"),
    ],
)
def test_a_choice_that_is_none_is_refused(chosen, said):
    class Bad:
        members = ("best-fit-cores", "worse-fit-cores")
        name = "bad"

        def choose(self, snapshot, trials):
            return chosen

    with pytest.raises(InputError, match=said):
        Scheduler(Bad(), FCFS).decide(TWO_HOSTS)


def test_a_meta_rule_that_fails_is_refused_in_one_line():
    class Fails:
        members = ("best-fit-cores",)
        name = "fails"

        def choose(self, snapshot, trials):
            return best_of([1.0 / len(snapshot.promises)])

    with pytest.raises(InputError, match="'fails': this meta-rule fails: ZeroDivisionError"):
        Scheduler(Fails(), FCFS).decide(TWO_HOSTS)


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("mine.py:NoMembers", "does not name the rules that it chooses from"),
        ("mine.py:Slow", "no such placement policy; did you mean mix-fit?"),
        ("mine.py:Turns(after=3)", "mine.py:Turns has no such parameter; it has every_s"),
        ("max-jobs(members=mix-fit:mix-fit)", "a member of a meta-rule is named once"),
        ("max-jobs(target=speed)", "this parameter takes jobs, cores, weighted"),
        ("mix-fit(anchor=full)", "mix-fit has no parameters"),
    ],
)
def test_what_is_wrong_with_a_name_is_said(own, spec, said):
    with pytest.raises(InputError) as refusal:
        policy_of(Setting(spec), {})
    assert said in str(refusal.value)


def test_parameters_stand_before_those_that_options_give():
    setting = Setting("max-jobs(target=cores)", members=("mix-fit", "first-fit"), target="weighted")
    assert policy_of(setting, {}) == MaxJobs((POLICIES["mix-fit"], POLICIES["first-fit"]), "cores")
    assert setting.essential()["members"] == ("mix-fit", "first-fit")


def test_a_member_that_is_no_policy_is_refused():
    with pytest.raises(InputError, match="a member of a meta-rule is a placement policy"):
        members_of(MaxJobs((len,)))


def test_members_that_draw_at_random_are_remarked_on(tmp_path):
    path = tmp_path / "draws.py"
    path.write_text("import random\n" + FILE.replace("-float(context.host)", "random.random()"))
    assert "last draws at random" in remarks_on(f"{path}:Turns")[0]
    assert remarks_on("max-jobs", "mix-fit") == ()


def test_a_subclass_of_a_policy_as_a_member_is_asked_itself():
    @dataclass(frozen=True)
    class LastFit(Policy):
        def rate(self, demand, free, capacity, context):
            return -float(context.host)

    rule = MaxJobs((LastFit("mine", POLICIES["first-fit"].score),))
    assert placed(Scheduler(rule, FCFS).decide(TWO_HOSTS)) == [(0, 1), (1, 1)]
