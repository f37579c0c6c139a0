"""Rules that are objects with state: called in this process, one run after another, and their state stays theirs."""

import sqlite3
import subprocess
import sys
from dataclasses import dataclass, field

import numpy as np
import pytest

import loadmaster as lm

SEEN = []


def busy_log(jobs=150):
    draw = np.random.default_rng(3)
    columns = {"runtime_s": draw.integers(5, 90, jobs), "cores": draw.integers(1, 9, jobs)}
    return lm.Workload.of(submit_s=np.sort(draw.integers(0, 900, jobs)), **columns)


HOSTS = lm.Cluster.uniform(4, cores=8)


class CountingWalk:
    """Starts every job that fits, and notes how long the queue was."""

    def __init__(self):
        self.queue_lengths = []

    def serve(self, this_pass):
        """Walk the queue."""
        self.queue_lengths.append(len(list(this_pass.rows())))
        for row in this_pass.rows():
            this_pass.start(row)


class ShortestByArray:
    """Ranks all waiting jobs in one call."""

    calls = 0

    def rank_all(self, jobs, now):
        """The shortest job first."""
        self.calls += 1
        return jobs.expected_s


class ShortestByJob:
    """Ranks one job a call, and keeps a count."""

    calls = 0

    def rank(self, job, now):
        """The shortest job first."""
        self.calls += 1
        return job.expected_s


class TightestByArray:
    """Rates all hosts in one call."""

    def __init__(self, weights):
        self.weights = weights

    def score_all(self, demand, free, capacity):
        """The fewest free cores."""
        return (free - demand) @ self.weights


class FirstForEver:
    """A meta-rule that counts its choices."""

    name, members = "first-for-ever", ("best-fit-cores", "worse-fit-cores")

    def __init__(self):
        self.choices = 0

    def choose(self, snapshot, trials):
        """Follow the first member."""
        from loadmaster.scheduling.meta_rule import Chosen

        self.choices += 1
        return Chosen(0, (1.0, 0.0))


@dataclass
class WithList:
    """A dataclass whose field cannot be written down."""

    started: list = field(default_factory=list)

    def serve(self, this_pass):
        """Walk the queue."""
        for row in this_pass.rows():
            if this_pass.start(row):
                self.started.append(row)


def appends(demand, free, capacity):
    SEEN.append(len(free))
    return free[0] - demand[0]


def counting():
    calls = 0

    def score(demand, free, capacity):
        nonlocal calls
        calls += 1
        return free[0] - demand[0]

    return score, lambda: calls


def waits(**options):
    return lm.compare(busy_log(), HOSTS, **options).frame["mean_wait_s"].to_list()


def test_an_object_keeps_its_state_and_decides_as_the_built_in_that_it_copies():
    walk = CountingWalk()
    own, built_in = waits(policies="best-fit-cores", disciplines=[walk, "skip"], interval=0)
    assert own == built_in
    assert len(walk.queue_lengths) > 0


def test_orders_and_policies_by_arrays_decide_as_the_built_in_ones():
    shortest, one_by_one = ShortestByArray(), ShortestByJob()
    first, second, third = waits(policies="best-fit-cores", disciplines=[shortest, one_by_one, "sjf"], interval=0)
    assert first == second == third > 0
    assert 0 < shortest.calls < one_by_one.calls
    own, built_in = waits(policies=[TightestByArray([1.0]), "best-fit-cores"], disciplines="easy")
    assert own == built_in > 0


def test_a_function_that_appends_to_a_list_or_counts_in_a_closure_finds_its_state_after_the_run():
    score, calls = counting()
    SEEN.clear()
    first, second, third = waits(policies=[appends, score, "best-fit-cores"], disciplines="easy")
    assert first == second == third
    assert len(SEEN) == calls() > 0


def test_a_meta_rule_and_a_dataclass_may_have_state():
    rule, walk = FirstForEver(), WithList()
    own, first = waits(policies=[rule, "best-fit-cores"], disciplines=[walk])
    assert own == first
    assert rule.choices > 0
    assert len(walk.started) == 300


def test_results_of_such_rules_are_not_stored(tmp_path):
    walk = CountingWalk()
    for _ in range(2):
        before = len(walk.queue_lengths)
        lm.compare(limit=50, policies=["best-fit-cores"], disciplines=[walk, "easy"], out=tmp_path)
        assert len(walk.queue_lengths) > before
    with sqlite3.connect(tmp_path / "results.sqlite") as kept:
        assert kept.execute("select count(*) from results").fetchone() == (1,)


def test_samples_run_one_after_another_on_the_one_object():
    walk = CountingWalk()
    compared = lm.compare(limit=60, policies="best-fit-cores", disciplines=[walk, "easy"], samples=5)
    assert "@CountingWalk is called in this process" in " ".join(compared.notes)


def test_a_record_of_such_a_rule_is_read_but_not_run_again(tmp_path):
    run = lm.simulate(limit=50, policy="best-fit-cores", discipline=CountingWalk())
    again = lm.open(run.save(tmp_path / "r"))
    assert again.frame.equals(run.frame)
    with pytest.raises(lm.InputError, match=r"'@CountingWalk': .* its state is not in the record"):
        again.again(trust=True)


def test_state_that_would_be_lost_is_refused_by_name(tmp_path):
    with pytest.raises(lm.InputError, match=r"serve writes to self.*give compare or simulate an object.*CountingWalk2"):
        lm.compare(limit=50, disciplines=[CountingWalk2])
    with pytest.raises(lm.InputError, match="'CountingWalk': an object"):
        lm.fewest(limit=50, hosts="20x16c64g", mean="1h", disciplines=[CountingWalk()])
    with pytest.raises(lm.InputError, match="'@CountingWalk': a Dask cluster would lose the state"):
        lm.compare(limit=50, disciplines=[CountingWalk()], on="tcp://127.0.0.1:1")


class CountingWalk2:
    """Given as a class: every run would make an object of its own."""

    def serve(self, this_pass):
        """Count."""
        self.calls = 1


class NoRule:
    """Neither a policy nor anything else."""


@pytest.mark.parametrize("options", [{"policies": [NoRule()]}, {"disciplines": [NoRule()]}])
def test_an_object_that_is_no_rule_is_refused(options):
    with pytest.raises(lm.InputError, match="'@NoRule': this NoRule is no"):
        lm.compare(limit=50, **options)


class WrongShape:
    """Gives one number for all."""

    def rank_all(self, jobs, now):
        """One number."""
        return [1.0] * (len(jobs.submit_s) + 1)

    def score_all(self, demand, free, capacity):
        """No number."""
        return free[:, 0] * float("nan")


def test_arrays_of_a_wrong_shape_or_without_numbers_are_refused():
    with pytest.raises(lm.InputError, match="rank_all gives a number for each job"):
        lm.simulate(limit=50, discipline=(WrongShape(), "easy"))
    with pytest.raises(lm.InputError, match="a score must be a finite number"):
        lm.simulate(limit=50, policy=WrongShape())


class Divides:
    """Ends in an error of its own."""

    def score_all(self, demand, free, capacity):
        """No number at all."""
        return free[:, 0] + 1 // 0


def test_an_error_of_a_policy_by_arrays_is_named():
    with pytest.raises(lm.InputError, match=r"'@Divides': a score must.*formula ends in ZeroDivisionError: integer"):
        lm.simulate(limit=50, policy=Divides())


def test_a_function_typed_at_the_prompt_runs_and_says_what_compiling_needs():
    typed = "import loadmaster as lm\n" + "def mine(demand, free, capacity):\n    return free[0] - demand[0]\n\n"
    typed += "found = lm.compare(limit=50, policies=[mine, 'best-fit-cores'])\n"
    typed += "print(found.frame['mean_wait_s'].n_unique(), [note for note in found.notes if '@mine' in note])\n"
    done = subprocess.run([sys.executable, "-i", "-q"], input=typed, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("1 ['@mine is called in this process, as it is")
    assert "to have it compiled, put the rule into a file, and name it file.py:function" in done.stdout


def test_lambdas_decide_as_the_built_in_ones_and_say_what_compiling_needs():
    fewest, shortest = lambda demand, free, capacity: free[0] - demand[0], lambda job, now: job.expected_s
    made = lm.compare(busy_log(), HOSTS, policies=[fewest, "best-fit-cores"], disciplines=[(shortest, "easy"), "sjf"])
    assert made.frame["policy"].to_list() == 2 * ["@lambda", "best-fit-cores"]
    assert made.frame["mean_wait_s"].n_unique() == 1
    notes = [note for note in made.notes if "called in this process" in note]
    assert [note.split()[0] for note in notes] == ["@lambda", "@lambda.2"]
    assert all("it is a lambda, which has no name; to have it compiled, write it as def" in note for note in notes)
