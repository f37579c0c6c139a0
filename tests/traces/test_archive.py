"""Logs by name from an archive on loopback: checksums, the cache, and every way in which it may fail."""

import gzip
import json
import threading
from functools import partial
from hashlib import sha256
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
from typer.testing import CliRunner

import loadmaster as lm
from loadmaster.cli.app import app
from loadmaster.traces.archive import ARCHIVE, CHECKSUMS, cache_folder, fetch_log
from traces.logs import swf_line

LOG = ARCHIVE["KTH-SP2"]
CONTENT = gzip.compress("\n".join(swf_line(job=k, submit=60 * k) for k in range(1, 4)).encode(), mtime=0)


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture
def archive(tmp_path):
    """Address of an archive with one log, and its folder."""
    folder = tmp_path / "archive"
    (folder / LOG.folder).mkdir(parents=True)
    (folder / LOG.folder / LOG.file).write_bytes(CONTENT)
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", folder / LOG.folder / LOG.file
    server.shutdown()
    server.server_close()


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "loadmaster" / "logs"


def test_a_log_goes_into_the_cache_and_its_checksum_is_recorded_at_the_first_use(archive, cache):
    first = fetch_log("KTH-SP2", address=archive[0])
    assert first.path == cache / LOG.file == cache_folder() / LOG.file
    assert first.path.read_bytes() == CONTENT
    assert (first.recorded_now, first.was_there) == (True, False)
    assert "recorded now" in first.notes[1]
    assert json.loads((cache / CHECKSUMS).read_text()) == {LOG.file: sha256(CONTENT).hexdigest()}
    archive[1].unlink()
    again = fetch_log("KTH-SP2", address=archive[0])
    assert (again.recorded_now, again.was_there, again.checksum) == (False, True, first.checksum)
    assert len(again.notes) == 1
    assert lm.read(again.path).workload.jobs == 3


def test_a_file_that_changed_since_its_first_use_is_refused(archive, cache):
    path = fetch_log("KTH-SP2", address=archive[0]).path
    path.write_bytes(CONTENT + b"x")
    with pytest.raises(lm.InputError, match="another file"):
        fetch_log("KTH-SP2", address=archive[0])
    path.unlink()
    archive[1].write_bytes(gzip.compress(b"other", mtime=0))
    with pytest.raises(lm.InputError, match="another file"):
        fetch_log("KTH-SP2", address=archive[0])
    assert not path.exists()


def test_a_checksum_of_the_user_s_must_hold(archive):
    right = sha256(CONTENT).hexdigest()
    with pytest.raises(lm.InputError, match="is expected"):
        fetch_log("KTH-SP2", address=archive[0], checksum="0" * 64)
    assert not fetch_log("KTH-SP2", address=archive[0], checksum=right.upper()).recorded_now


def test_a_page_in_place_of_a_log_is_refused_and_leaves_nothing(archive, cache):
    archive[1].write_bytes(b"<html>moved</html>")
    with pytest.raises(lm.InputError, match="not a gzip file"):
        fetch_log("KTH-SP2", address=archive[0])
    assert list(cache.iterdir()) == []


def test_what_the_archive_does_not_have_says_where_to_put_the_file(archive):
    archive[1].unlink()
    with pytest.raises(lm.InputError, match=r"answers 404 .*put it at .*KTH"):
        fetch_log("KTH-SP2", address=archive[0])


def test_offline_it_says_so_in_one_line(cache):
    done = CliRunner().invoke(app, ["fetch", "SDSC-SP2", "--mirror", "http://127.0.0.1:9"])
    assert isinstance(done.exception, lm.InputError)
    text = str(done.exception)
    assert "cannot be reached from here" in text
    assert str(cache / ARCHIVE["SDSC-SP2"].file) in text
    assert "\n" not in text


@pytest.mark.parametrize("address", ["http://example.org/logs", "ftp://example.org", "file:///tmp"])
def test_only_https_leaves_this_machine(address):
    with pytest.raises(lm.InputError, match="https"):
        fetch_log("KTH-SP2", address=address)


def test_an_unknown_log_names_the_near_one():
    with pytest.raises(lm.InputError, match="SDSC-SP2"):
        lm.fetch("SDSC-SP")


def test_the_python_face_gives_the_path_and_the_command_prints_it(archive, tmp_path, capsys):
    path = lm.fetch("KTH-SP2", folder=tmp_path / "logs", mirror=archive[0])
    assert path == tmp_path / "logs" / LOG.file
    assert "Lars Malinowsky" in " ".join(capsys.readouterr().err.split())
    done = CliRunner().invoke(app, ["fetch", "KTH-SP2", "--folder", str(tmp_path / "logs"), "--json"])
    shown = json.loads(done.stdout)
    assert (shown["file"], shown["was_there"], shown["cores"]) == (str(path), True, 100)
