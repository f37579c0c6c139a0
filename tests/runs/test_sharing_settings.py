"""Which kind of method a name is, in one grammar with the verbs that queue; the user's own files too."""

import pytest

import loadmaster as lm
from loadmaster.model import Cluster, InputError, Workload
from loadmaster.runs.sharing_settings import SharingSettings, kind_of

OWN = """
class Walk:
    def serve(self, this_pass):
        for row in this_pass.rows():
            this_pass.start(row)

class Order:
    def begin(self, workload, cluster): ...

class Mover:
    name, period_s, fanout = "own", 1.0, 1
    def turn(self, board): ...

def area(job, now):
    return job.cores * job.expected_s

def rule(demand, free, capacity):
    return free[0]
"""


@pytest.fixture
def own(tmp_path, monkeypatch):
    """A file of rules in the current folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my.py").write_text(OWN)


@pytest.mark.parametrize(
    ("method", "kind"),
    [
        ("fcfs+my.py:Walk", "batch"), ("my.py:area+my.py:Walk", "batch"), ("my.py:Walk", "batch"),
        ("my.py:Order+my.py:Walk", "batch"), ("my.py:Order", "batch"), ("my.py:area", "batch"),
        ("my.py:area+easy", "batch"), ("my.py:rule", "shared"), ("my.py:rule+my.py:Mover", "shared"),
        ("my.py:rule+mosix", "shared"), ("pvm+my.py:Mover", "shared"), ("mix-fit+my.py:Mover(fanout=2)", "shared"),
        ("easy", "batch"), ("pvm", "shared"), ("fractional", "fractional"),
    ],
)  # fmt: skip
def test_what_a_file_holds_says_which_kind_it_is(own, method, kind):
    assert kind_of(method) == kind


def test_it_is_told_from_the_text_where_the_file_is_not_there(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert kind_of("my.py:area+my.py:Walk", {"my.py": OWN}) == "batch"
    with pytest.raises(InputError, match="no such file"):
        kind_of("my.py:area+my.py:Walk")


@pytest.mark.parametrize("method", ["fcfs+my.py:Walk", "my.py:area+my.py:Walk", "my.py:Walk"])
def test_a_row_of_a_queue_carries_the_files_of_all_its_rules(own, method):
    assert SharingSettings().texts(method, "my.py:rule") == {"my.py": OWN}


@pytest.mark.parametrize("discipline", ["sjf+my.py:Walk", "my.py:area+my.py:Walk", "my.py:Walk"])
def test_a_queue_of_ones_own_shares_as_it_simulates(own, discipline):
    log = Workload.of(submit_s=[0, 0, 1, 2, 2], runtime_s=[50, 20, 30, 10, 5], cores=[3, 2, 4, 1, 2])
    hosts = Cluster.uniform(1, cores=4)
    [row] = lm.share(log, hosts, methods=discipline, policies="first-fit").rows
    alone = lm.simulate(log, hosts, policy="first-fit", discipline=discipline, interval=0)
    assert row.kind == "batch"
    assert row.mean_wait_s == alone.outcome.metrics.mean_wait_s > 0
