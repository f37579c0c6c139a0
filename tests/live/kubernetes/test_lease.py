"""The lease that lets one loadmaster at a time run a cluster, on a fake of the API of Kubernetes."""

import pytest
from kubernetes_runs import fake_cluster

from loadmaster.live.kubernetes.lease import LeaseTerms, when_free
from loadmaster.model import InputError


@pytest.fixture
def made(tmp_path):
    with fake_cluster(tmp_path) as cluster:
        yield cluster


def test_a_second_loadmaster_finds_the_lease_taken_until_it_is_given_back_or_over(made, monkeypatch):
    first = made.engine()
    monkeypatch.setattr("socket.gethostname", lambda: "elsewhere")
    with pytest.raises(InputError, match="another loadmaster runs this cluster"):
        made.engine()
    made.engine(looks_on=True).observe()
    first.close()
    made.engine()
    monkeypatch.setattr("socket.gethostname", lambda: "third")
    made.clock.sleep_until(1061.0)
    third = made.engine()
    monkeypatch.undo()
    made.clock.sleep_until(1090.0)
    with pytest.raises(InputError, match="another loadmaster"):
        first.observe()
    third.observe()
    assert made.fake.leases["kube-system/loadmaster"]["spec"]["holderIdentity"].startswith("third_")


def test_another_process_of_the_same_name_and_number_is_another_holder(made, monkeypatch):
    """Two containers of one host name, as two StatefulSets of two teams have, are process 1 each."""
    made.engine()
    monkeypatch.setattr("loadmaster.live.kubernetes.lease.PROCESS", "another")
    with pytest.raises(InputError, match="another loadmaster runs this cluster"):
        made.engine()


def test_who_stands_by_takes_over_when_the_lease_is_over(made, monkeypatch):
    made.engine(lease=LeaseTerms(lasts_s=60.0))
    monkeypatch.setattr("socket.gethostname", lambda: "other")
    said = []
    pauses = []

    def pause():
        pauses.append(made.clock.now_s())
        made.clock.sleep_until(made.clock.now_s() + 20.0)

    when_free(made.engine, pause, said.append)
    assert pauses == [1000.0, 1020.0, 1040.0]
    assert len(said) == 1
    assert "another loadmaster runs this cluster" in said[0]
    assert made.fake.leases["kube-system/loadmaster"]["spec"]["holderIdentity"].startswith("other_")


def test_a_lease_that_we_may_not_have_is_an_error_of_one_line(made):
    made.fake.denied.add(("create", "leases"))
    with pytest.raises(InputError, match="no lease can be kept in namespace kube-system"):
        made.engine()


def test_who_stands_by_waits_for_a_server_that_starts(made, monkeypatch):
    made.engine(lease=LeaseTerms(lasts_s=60.0))
    monkeypatch.setattr("socket.gethostname", lambda: "other")
    said = []

    def pause():
        made.clock.sleep_until(made.clock.now_s() + 20.0)
        made.fake.starting = made.clock.now_s() == 1020.0

    when_free(made.engine, pause, said.append)
    assert "refuses now what it allowed before" in said[1]
    assert made.fake.leases["kube-system/loadmaster"]["spec"]["holderIdentity"].startswith("other_")
