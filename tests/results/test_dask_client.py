"""How to reach a scheduler that runs already: encrypted with the user's certificates, or one line why not."""

import pytest

pytest.importorskip("distributed", reason="the extra `dask` is not installed")

import dask
from distributed import LocalCluster

from loadmaster.live.dask.cluster_security import certificates_in
from loadmaster.model.errors import InputError
from loadmaster.results import dask_client
from loadmaster.results.dask_client import Certificates, DaskAddress, connect


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """An encrypted scheduler with one worker, and the files that open it."""
    folder = tmp_path_factory.mktemp("site")
    with LocalCluster(
        n_workers=1,
        threads_per_worker=1,
        processes=False,
        protocol="tls://",
        security=certificates_in(folder),
        dashboard_address="127.0.0.1:0",
    ) as cluster:
        files = Certificates(folder / "certificate.pem", folder / "certificate.pem", folder / "key.pem")
        yield cluster.scheduler_address, files


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(dask_client, "PATIENCE_S", 1.0)


def test_with_the_certificates_of_its_authority_work_is_done_there(site):
    url, files = site
    with connect(DaskAddress(url, files)) as client:
        assert client.submit(sum, [1, 2], pure=False).result(timeout=60) == 3


def test_certificates_may_stand_in_dasks_own_configuration(site):
    url, files = site
    names = ("ca-file", "client.cert", "client.key")
    ours = {f"distributed.comm.tls.{name}": str(path) for name, path in zip(names, files, strict=True)}
    with dask.config.set(ours), connect(DaskAddress(url)) as client:
        assert client.submit(sum, [1, 2], pure=False).result(timeout=60) == 3


def test_certificates_of_another_authority_are_refused_in_one_line(site, tmp_path, impatient):
    certificates_in(tmp_path)
    other = Certificates(tmp_path / "certificate.pem", tmp_path / "certificate.pem", tmp_path / "key.pem")
    with pytest.raises(InputError, match="does not accept these certificates"):
        connect(DaskAddress(site[0], other))


def test_a_plain_address_does_not_reach_an_encrypted_scheduler(site, impatient):
    with pytest.raises(InputError, match="no Dask scheduler answers"):
        connect(DaskAddress(site[0].replace("tls://", "tcp://")))


def test_an_encrypted_address_without_certificates_says_how_to_give_them():
    with pytest.raises(InputError, match="--tls-ca, --tls-cert and --tls-key"):
        connect(DaskAddress("tls://127.0.0.1:9"))


def test_files_that_are_none_are_named(site, tmp_path):
    url, files = site
    with pytest.raises(InputError, match="cannot be read: No such file"):
        connect(DaskAddress(url, files._replace(ca=tmp_path / "no-such.pem")))
    (tmp_path / "empty.pem").touch()
    with pytest.raises(InputError, match="not PEM files"):
        connect(DaskAddress(url, files._replace(cert=tmp_path / "empty.pem")))


def test_certificates_for_a_plain_address_are_refused(site):
    with pytest.raises(InputError, match="encrypted connection"):
        connect(DaskAddress("tcp://127.0.0.1:9", site[1]))


@pytest.mark.parametrize("url", ["cpu", "\N{GRINNING FACE}", "tcp://", "10.0.0.1", "tcp://a b:1", ""])
def test_what_cannot_be_an_address_is_refused_at_once(url, monkeypatch):
    monkeypatch.setattr(dask_client, "distributed", lambda *_: pytest.fail("nobody is to be asked"))
    with pytest.raises(InputError, match="not the address of a Dask scheduler"):
        connect(DaskAddress(url))
