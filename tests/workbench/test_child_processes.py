import json
import os
import subprocess
import sys
import time

import pytest

from loadmaster.system.process import identity_of
from loadmaster.workbench import child_processes as c
from loadmaster.workbench.refusal import Refused

SLEEPER = "import sys, time; print('x', file=sys.stderr, flush=True); time.sleep(60)"


@pytest.fixture
def sleeping(monkeypatch):
    """Children sleep instead of comparing; none survives the test."""
    monkeypatch.setattr(c, "PROGRAM", ("-c", SLEEPER, "loadmaster"))
    made = c.Children()
    yield made
    made.stop_all(5.0)


def started(children, folder):
    folder.mkdir()
    children.start(folder, ["compare", str(folder)], {"log": "a"})
    return c.child_in(folder)


def spoken(child):
    end = time.monotonic() + 20
    while not child.last_error_line and time.monotonic() < end:
        time.sleep(0.02)
    return child.last_error_line


def test_a_comparison_is_found_again_by_its_folder_alone_and_stops_when_asked(tmp_path, sleeping):
    child = started(sleeping, tmp_path / "a")
    assert (child.runs, dict(child.choices), sleeping.running()) == (True, {"log": "a"}, [tmp_path / "a"])
    assert spoken(child) == "x"
    c.stop(child)
    assert sleeping._popen[0][0].wait(20) != 0
    assert (child.runs, sleeping.running()) == (False, [])
    assert child.last_error_line == "KeyboardInterrupt"
    with pytest.raises(Refused, match="has ended"):
        c.stop(child)


def test_a_process_that_is_not_of_this_folder_is_never_stopped(tmp_path):
    other = subprocess.Popen([sys.executable, "-c", SLEEPER, "loadmaster", "elsewhere"], stderr=subprocess.DEVNULL)
    try:
        for process in (identity_of(other.pid), identity_of(os.getpid()), identity_of(1), "1", "0", "-1", "x"):
            content = {"process": process, "started_s": 1.0, "choices": {}}
            (tmp_path / c.FILE).write_text(json.dumps(content))
            child = c.child_in(tmp_path)
            assert not child.runs
            with pytest.raises(Refused):
                c.stop(child, at_once=True)
        assert other.poll() is None
    finally:
        other.kill()
        other.wait()


def test_so_many_at_a_time_and_no_more(tmp_path, sleeping, monkeypatch):
    monkeypatch.setattr(c, "MOST", 1)
    started(sleeping, tmp_path / "a")
    with pytest.raises(Refused, match="1 comparisons are under way"):
        started(sleeping, tmp_path / "b")


def test_the_end_of_the_server_stops_all_and_says_which(tmp_path, sleeping):
    spoken(started(sleeping, tmp_path / "a"))
    assert sleeping.stop_all() == [tmp_path / "a"]
    assert not c.child_in(tmp_path / "a").runs


@pytest.mark.parametrize("text", ["", "{}", '{"process": 1, "started_s": 1.0, "choices": {}}', "[" * 70_000])
def test_a_folder_in_which_nothing_was_started_here_has_no_child(tmp_path, text):
    assert c.child_in(tmp_path) is None
    (tmp_path / c.FILE).write_text(text)
    assert c.child_in(tmp_path) is None
