"""Generators: the built-in ones keep their contract, and so must one of the user's own, wherever a log is named."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import loadmaster as lm
from loadmaster.cli.app import app
from loadmaster.cli.generate import KINDS
from loadmaster.model.bag import Bag
from loadmaster.model.errors import InputError
from loadmaster.runs.kinds import GENERATORS
from loadmaster.traces.own_generator import generated, log_generated

TEXT = """
import random
from dataclasses import dataclass

import numpy as np

import loadmaster as lm
from loadmaster.model.bag import Bag


def bursts(seed, jobs=20, every_s: float = 60):
    rng = np.random.default_rng(seed)
    return lm.Workload.of(
        submit_s=np.arange(jobs) * every_s, runtime_s=rng.integers(10, 100, jobs), cores=rng.integers(1, 4, jobs)
    )


def with_hosts(seed):
    return lm.Trace(bursts(seed), lm.Cluster.uniform(3, cores=4))


def tasks(seed, number=5):
    return Bag(np.random.default_rng(seed).uniform(10.0, 20.0, number))


@dataclass(frozen=True)
class Steady:
    jobs: int = 3

    def generate(self, seed):
        return lm.Workload.of(submit_s=range(self.jobs), runtime_s=[1] * self.jobs, cores=[1] * self.jobs)


def unseeded(seed):
    return lm.Workload.of(submit_s=[0], runtime_s=[random.random()], cores=[1])


def nothing(seed):
    return [1, 2, 3]


def broken(seed):
    return 1 / 0


def without_seed(jobs=3):
    return None
"""
MADE = {
    "netbatch": lambda seed: lm.generate.netbatch(jobs=30, hosts=4, seed=seed).workload.submit_s,
    "opportunity": lambda seed: lm.generate.opportunity(window=200.0, seed=seed).workload.runtime_s,
    "virtual-clusters": lambda seed: lm.generate.virtual_clusters(hosts=4, tasks=9, seed=seed).rigid,
    "lublin": lambda seed: lm.generate.lublin(jobs=30, seed=seed).workload.submit_s,
    "virtual-jobs": lambda seed: lm.generate.virtual_jobs(hosts=4, tasks=9, seed=seed).rigid,
    "bag": lambda seed: lm.generate.bag("normal(150,30)x9", seed=seed).duration_s,
}


@pytest.fixture(autouse=True)
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(TEXT)


def told(*line):
    return CliRunner().invoke(app, line)


def ten_at_once(seed):
    return lm.Workload.of(submit_s=[0] * 10, runtime_s=[seed + 1] * 10, cores=[1] * 10)


@dataclass(frozen=True)
class AtOnce:
    """So many jobs at once."""

    jobs: int = 10

    def generate(self, seed):
        """The jobs."""
        return lm.Workload.of(submit_s=[0] * self.jobs, runtime_s=[1] * self.jobs, cores=[1] * self.jobs)


def test_every_kind_on_the_command_line_is_in_the_list():
    assert set(GENERATORS) == set(KINDS) - {"own"} == set(MADE)


@pytest.mark.parametrize("name", sorted(MADE))
def test_the_same_seed_makes_the_same_and_another_something_else(name):
    first, again, other = (MADE[name](seed) for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_an_own_one_takes_its_parameters_and_its_seed_and_is_marked_as_synthetic():
    made = log_generated("mine.py:bursts(jobs=7,every_s=2)", 3)
    assert made.workload.submit_s.tolist() == [0, 2, 4, 6, 8, 10, 12]
    assert (made.workload.synthetic, made.workload.source) == (True, "mine.py:bursts(jobs=7,every_s=2)")
    assert made.notes == ()
    assert made.workload.runtime_s.tolist() == log_generated("mine.py:bursts(jobs=7)", 3).workload.runtime_s.tolist()
    assert generated("mine.py:Steady(jobs=4)", 0).workload.jobs == 4


def test_functions_and_objects_are_taken_in_python_as_their_names_are():
    assert lm.generate.own(ten_at_once, seed=4).workload.runtime_s.tolist() == [5.0] * 10
    assert lm.generate.own(AtOnce(jobs=3)).workload.source == "@AtOnce(jobs=3)"
    assert isinstance(lm.generate.own("mine.py:tasks(number=3)"), Bag)


def test_it_stands_wherever_a_log_or_a_bag_is_asked_for():
    rows = lm.compare("mine.py:bursts", "4x4c", policies="first-fit", disciplines="easy", seed=3).frame
    same = lm.compare(log_generated("mine.py:bursts", 3), "4x4c", policies="first-fit", disciplines="easy").frame
    assert rows["mean_wait_s"].to_list() == same["mean_wait_s"].to_list()
    assert lm.simulate("mine.py:with_hosts", limit=5).record.case.cluster.hosts == 3
    assert lm.info("mine.py:bursts").summary.jobs == 20
    assert lm.size("mine.py:tasks", repetitions=1, sizers="8").bag.tasks == 5


def test_the_command_writes_what_a_function_of_a_file_makes():
    done = told("generate", "mine.py:with_hosts", "-o", "jobs.csv", "--seed", "5")
    assert done.exit_code == 0, done.output
    assert "jobs.csv: 20 synthetic jobs, seed 5" in done.output
    assert lm.read("jobs.csv").cluster.hosts == 3
    swf = told("generate", "mine.py:with_hosts", "-o", "jobs.swf", "--seed", "5")
    assert "SWF has no field for how many cores of a job lie on one host" in " ".join(swf.output.split())
    assert told("generate", "own", "mine.py:tasks", "-o", "bag.csv").exit_code == 0
    assert lm.size("bag.csv", repetitions=1, sizers="8").bag.tasks == 5


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("mine.py:nothing", "a generator gives a Workload, a Trace or a Bag, not list"),
        ("mine.py:broken", "this generator fails: ZeroDivisionError"),
        ("mine.py:without_seed", "this generator fails: TypeError"),
        ("mine.py:bursts(job=3)", "it has jobs, every_s"),
        ("mine.py:bursts(jobs=many)", "this parameter takes a whole number"),
        ("mine.py:tasks", "makes a bag of tasks, and a log is needed"),
        ("mine.py:burst", "did you mean bursts"),
        ("none.py:bursts", "no such file"),
    ],
)
def test_what_makes_no_log_is_refused_in_one_line(spec, says):
    with pytest.raises(InputError, match=says):
        lm.compare(spec, "4x4c")


def test_who_draws_without_the_seed_is_told_so():
    assert any("draws at random without its seed" in note for note in log_generated("mine.py:unseeded", 0).notes)
