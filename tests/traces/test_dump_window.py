"""Jobs from before the window of a dump of Slurm are told."""

import pytest

from loadmaster.traces import read_trace
from traces.logs import write

HEAD = "JobID|Submit|Start|Elapsed|ReqCPUS\n"


def dump(tmp_path, early):
    """40 jobs a minute apart from 10 o'clock on, and `early` ones of 9 o'clock that end after 10."""
    rows = [f"{k}|2024-01-01T09:00:{k:02d}|2024-01-01T09:01:00|02:00:00|1" for k in range(early)]
    rows += [f"{100 + k}|2024-01-01T10:{k:02d}:00|2024-01-01T10:{k:02d}:00|00:00:30|1" for k in range(40)]
    return read_trace(write(tmp_path, "dump.txt", HEAD + "\n".join(rows) + "\n"))


@pytest.mark.parametrize(("early", "told"), [(0, False), (3, True)])
def test_jobs_submitted_before_the_window_are_told(tmp_path, early, told):
    notes = [note for note in dump(tmp_path, early).notes if "before the first job of the dump ended" in note]
    assert bool(notes) == told
    assert all(note.startswith("4 jobs were submitted") for note in notes)
