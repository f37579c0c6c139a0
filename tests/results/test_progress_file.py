import json
import os
import platform
import subprocess
import sys
import threading
import time
from dataclasses import asdict, replace

import pytest

from loadmaster.model import InputError
from loadmaster.results.progress_file import FILE, Progress, ProgressFile, progress_file_in, progress_in
from loadmaster.results.watch import Watch
from loadmaster.system.process import identity_of
from loadmaster.system.whole_file import write_whole


class Heard(Watch):
    def __init__(self):
        self.calls = []

    def begin(self, cells, kept, steps):
        self.calls.append(("begin", cells, kept, steps))

    def finished(self, cell):
        self.calls.append(("finished", cell))


def written(folder, values):
    (folder / FILE).write_text(json.dumps(values))
    return progress_in(folder)


def known(**more):
    return Progress("loadmaster compare", identity_of(os.getpid()), platform.node(), 1000.0, **more)


def test_a_study_under_way_is_told_in_its_folder_and_nothing_is_left_of_it_once_it_is_done(tmp_path):
    heard = Heard()
    with progress_file_in(tmp_path, "loadmaster compare -o x", heard) as told:
        told.begin(cells=4, kept=2, steps=100)
        told.finished(0)
        told.moved(1, 50)
        told._write()
        progress = progress_in(tmp_path)
    assert (progress.command, progress.runs, progress.part) == ("loadmaster compare -o x", True, pytest.approx(3.5 / 6))
    assert heard.calls == [("begin", 4, 2, 100), ("finished", 0)]
    assert list(tmp_path.iterdir()) == []


def test_cells_that_come_after_a_study_are_counted_in(tmp_path):
    with progress_file_in(tmp_path, "loadmaster tune", Watch()) as told:
        told.ahead(12)
        told.begin(cells=4, kept=0, steps=100)
        told.finished(0)
        told._write()
        first = progress_in(tmp_path)
        told.ahead(0)
        told.begin(cells=12, kept=0, steps=100)
        told._write()
        last = progress_in(tmp_path)
    assert (first.cells, first.done, first.part) == (16, 1, pytest.approx(1 / 16))
    assert (last.cells, last.part) == (16, pytest.approx(1 / 16))


def test_what_is_older_never_takes_the_place_of_what_is_newer(tmp_path, monkeypatch):
    writes = threading.Event()

    def slowly(path, text):
        if json.loads(text)["cells"] == 0:
            writes.set()
            time.sleep(0.2)
        write_whole(path, text)

    monkeypatch.setattr("loadmaster.results.progress_file.write_whole", slowly)
    with progress_file_in(tmp_path, "loadmaster compare", Watch()) as told:
        assert writes.wait(60)  # its own thread is at work on what it saw before the cells were counted
        told.begin(cells=4, kept=2, steps=100)
        told._write()
        assert progress_in(tmp_path).cells == 4


def test_a_study_stopped_by_hand_leaves_how_far_it_was(tmp_path):
    def stopped():
        with progress_file_in(tmp_path, "loadmaster compare", Watch()) as told:
            told.begin(cells=4, kept=0, steps=10)
            told.finished(0)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stopped()
    left = progress_in(tmp_path)
    assert (left.ended, left.why, left.runs, left.done) == ("stopped", "", False, 1)


def test_a_study_that_failed_says_why_and_one_that_was_refused_leaves_nothing(tmp_path):
    with pytest.raises(ZeroDivisionError), progress_file_in(tmp_path, "c", Watch()):
        raise ZeroDivisionError("no job")
    assert progress_in(tmp_path).why == "ZeroDivisionError: no job"
    with pytest.raises(InputError), progress_file_in(tmp_path, "c", Watch()):
        raise InputError("x", "not a log")
    assert progress_in(tmp_path) is None


def test_a_folder_that_is_not_there_is_not_made_for_the_file(tmp_path):
    with progress_file_in(tmp_path / "none", "c", Watch()) as told:
        told._write()
    assert not (tmp_path / "none").exists()


def test_cells_of_a_second_study_are_counted_beside_those_of_the_first(tmp_path):
    with ProgressFile(tmp_path, "c", Watch()) as told:
        told.begin(2, 0, 10)
        told.finished(0)
        told.finished(1)
        told.begin(8, 0, 10)
        told._write()
        assert progress_in(tmp_path).part == pytest.approx(0.2)


def test_a_process_that_is_gone_does_not_run_even_if_its_file_says_so(tmp_path):
    gone = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    name = identity_of(gone.pid)
    assert written(tmp_path, asdict(replace(known(), process=name))).runs
    gone.kill()
    gone.wait()
    assert not progress_in(tmp_path).runs


def test_on_another_machine_a_study_runs_as_long_as_it_is_heard_of():
    elsewhere = replace(known(), machine="elsewhere")
    assert not elsewhere.runs
    assert replace(elsewhere, told_s=4e9).runs


def test_time_left_goes_by_the_rate_so_far():
    assert known(cells=2, steps=200, moved=50, running_s=10.0).left_s == 30.0
    assert known(cells=2, steps=200).left_s is None


@pytest.mark.parametrize("text", ["", "[]", "{", '{"command": 1}', "[" * 100_000, '{"command": "c", "process": 3}'])
def test_a_file_that_nobody_of_ours_wrote_is_no_progress(tmp_path, text):
    (tmp_path / FILE).write_text(text)
    assert progress_in(tmp_path) is None


def test_a_phase_is_counted_anew_and_told_by_its_name(tmp_path):
    with ProgressFile(tmp_path, "reproduce", Watch()) as told:
        told.phase("buckets", 4, "streams")
        told.counted(4)
        told.phase("loads", 100, "jobs")
        told.counted(25)
        told._write()
        found = progress_in(tmp_path)
    assert (found.phase, found.cells, found.done, found.unit, found.part) == ("loads", 100, 25, "jobs", 0.25)
