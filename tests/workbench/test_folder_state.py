import fcntl
import json
import os
import platform
from dataclasses import asdict, replace

import pytest

from loadmaster.results.progress_file import FILE, Progress
from loadmaster.system.process import identity_of
from loadmaster.workbench.child_processes import COMPLAINED
from loadmaster.workbench.child_processes import FILE as STARTED
from loadmaster.workbench.kinds import KINDS
from loadmaster.workbench.state import BenchState, state_of

NOW = Progress("loadmaster compare", identity_of(os.getpid()), platform.node(), 0.0, cells=6, kept=2, done=2, doing="")
BAG = next(kind for kind in KINDS if kind.verb == "run")


def told(folder, **changed):
    (folder / FILE).write_text(json.dumps(asdict(replace(NOW, **changed))))
    return state_of(folder, None, 0.0)


def test_a_study_under_way_says_how_many_runs_are_done_and_what_is_left(tmp_path):
    assert told(tmp_path) == BenchState("runs", "4 of 8 runs done", 0.5)
    assert told(tmp_path, steps=600, moved=300, running_s=90.0).words == "4 of 8 runs done, 1.5 min left"
    assert told(tmp_path, doing="compiling").words == "compiling"


@pytest.mark.parametrize(("changed", "name"), [({"ended": "stopped"}, "stopped"), ({"process": "1.1"}, "stopped"),
                                               ({"ended": "failed", "why": "OSError: full"}, "failed")])  # fmt: skip
def test_a_study_that_was_broken_off_says_so(tmp_path, changed, name):
    state = told(tmp_path, **changed)
    assert (state.name, state.part, state.ours) == (name, 0.5, False)
    assert state.words == changed.get("why", "give the same command again to continue")


def test_a_comparison_started_here_that_left_no_page_is_told_by_its_last_words(tmp_path):
    (tmp_path / STARTED).write_text(json.dumps({"process": "1.1", "started_s": 100.0, "choices": {}}))
    assert state_of(tmp_path, None, 0.0) == BenchState("stopped", "finished runs are kept", None, True)
    (tmp_path / COMPLAINED).write_text("note\nloadmaster: 'x': not a log\n\n")
    assert state_of(tmp_path, None, 0.0) == BenchState("failed", "'x': not a log", None, True)
    assert state_of(tmp_path, None, 101.0) == BenchState()


def test_what_is_not_done_never_reads_as_done():
    assert BenchState(part=0.9999).percent == 99


def test_a_bag_that_runs_is_known_by_the_lock_on_its_log(tmp_path):
    path = tmp_path / "log.jsonl"
    lines = [{"session": 1.0, "commands": ["a", "b"]}, {"event": "finished", "task": 2}]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert state_of(tmp_path, BAG, 0.0) == BenchState()
    with path.open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        state = state_of(tmp_path, BAG, 0.0)
    assert (state.name, state.part) == ("runs", 0.5)
    assert state.words.startswith("1 of 2 commands done, last change")
