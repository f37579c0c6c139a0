"""What a cluster that `run` starts here lets in."""

import socket
import ssl
import urllib.error
import urllib.request

import psutil
import pytest
from patience import PATIENCE_S

pytest.importorskip("distributed")

from distributed import Client

from loadmaster.live.dask import cluster_security
from loadmaster.live.dask.machine_source import DaskMachineSource, machines
from loadmaster.model.errors import InputError


@pytest.fixture(scope="module")
def up():
    """A local place with one worker, and the ports that its processes listen on, by address."""
    with machines(DaskMachineSource()) as place:
        place.change(1, [])
        place.client.wait_for_workers(1, timeout=PATIENCE_S)
        me = psutil.Process()
        family = [me, *me.children(recursive=True)]
        found = [c.laddr for p in family for c in p.net_connections("inet") if c.status == psutil.CONN_LISTEN]
        yield place, found


def test_nothing_listens_beyond_loopback(up):
    _, listening_at = up
    assert len(listening_at) >= 4  # the scheduler, its worker and the nanny, and web servers without pages
    assert {address.ip for address in listening_at} == {"127.0.0.1"}


def test_who_does_not_hold_the_certificate_cannot_connect(up):
    place, _ = up
    address = place.client.scheduler.address
    assert address.startswith("tls://127.0.0.1:")
    for stranger, security in (
        (address.replace("tls://", "tcp://"), None),
        (address, cluster_security.throw_away_certificates()),
    ):
        with pytest.raises(OSError):
            Client(stranger, timeout="2s", set_as_default=False, security=security)


def test_every_port_wants_a_certificate_or_has_no_pages(up):
    _, listening_at = up
    kinds = {_found_without_certificate(address) for address in listening_at}
    assert kinds == {"HTTP 404", "refused"}


def _found_without_certificate(address):
    try:
        with urllib.request.urlopen(f"http://{address.ip}:{address.port}/info/main/workers.html", timeout=10) as page:
            return f"HTTP {page.status}"
    except urllib.error.HTTPError as error:
        error.close()
        return f"HTTP {error.code}"
    except OSError:
        return _found_by_an_encrypted_stranger(address)


def _found_by_an_encrypted_stranger(address):
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    try:
        with socket.create_connection(address, timeout=10) as raw, context.wrap_socket(raw) as encrypted:
            return "answered" if encrypted.recv(1) else "refused"
    except TimeoutError:
        return "waits for what the stranger says"
    except OSError:
        return "refused"


def test_a_dashboard_is_only_for_a_scheduler_of_ours_and_needs_the_library_that_draws_it(monkeypatch):
    with (
        pytest.raises(InputError, match="that this command starts"),
        machines(DaskMachineSource("tcp://127.0.0.1:9", dashboard=True)),
    ):
        pass
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(InputError, match="bokeh"), machines(DaskMachineSource(dashboard=True)):
        pass
