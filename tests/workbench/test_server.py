import socket

import pytest

from loadmaster.model import InputError
from loadmaster.workbench.server import listen, opening_page


def test_without_a_host_only_this_machine_can_reach_it():
    address = listen(None, 0)
    with address.listening as listening:
        name, port = listening.getsockname()
    assert name == "127.0.0.1"
    assert address.hosts == (f"127.0.0.1:{port}", f"localhost:{port}")


def test_a_port_that_is_taken_is_told_in_one_line():
    with listen(None, 0).listening as taken, pytest.raises(InputError, match="--port 0 takes one that is free"):
        listen(None, taken.getsockname()[1])


@pytest.mark.parametrize("host", ["0.0.0.0", "::", ""])
def test_every_address_at_once_is_refused(host):
    with pytest.raises(InputError, match="names every address"):
        listen(host, 0)


def test_an_address_that_is_not_of_this_machine_is_refused():
    with pytest.raises(InputError):
        listen("203.0.113.7", 0)
    with pytest.raises(InputError, match="no such address"):
        listen("no such name", 0)


def test_a_named_address_is_the_only_one_that_is_answered_to():
    address = listen(socket.gethostbyname("localhost"), 0)
    with address.listening as listening:
        assert address.hosts == (f"127.0.0.1:{listening.getsockname()[1]}",)


def test_the_browser_is_opened_by_a_file_that_only_we_can_read(tmp_path):
    assert opening_page(tmp_path, "http://127.0.0.1:1/?token=x") == (tmp_path / "open.html").as_uri()
    assert (tmp_path / "open.html").stat().st_mode & 0o077 == 0
    assert "url=http://127.0.0.1:1/?token=x" in (tmp_path / "open.html").read_text()
