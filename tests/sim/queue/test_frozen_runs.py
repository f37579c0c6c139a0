"""Thousands of small runs, and the beginnings of real logs, have the schedules whose digests are kept."""

import os
from pathlib import Path

import frozen_runs
import pytest

SEE = "python tools/freeze_runs.py --only"
SECTIONS = tuple(dict.fromkeys(run.group.partition(" ")[0] for run in frozen_runs.runs()))


def test_the_same_logs_are_drawn():
    """If this fails, the draws have changed, as with another NumPy, and digests of schedules say nothing."""
    assert frozen_runs.kept()["logs drawn"] == [frozen_runs.digest_of_logs()]


def test_the_file_has_a_digest_for_every_run_and_no_other():
    lines = {name: len(digests) for name, digests in frozen_runs.kept().items() if not name.startswith("log")}
    counts = {}
    for run in frozen_runs.runs():
        counts[run.group] = counts.get(run.group, 0) + 1
    assert lines == counts, "write the file anew: python tools/freeze_runs.py"


@pytest.mark.parametrize("section", SECTIONS)
def test_every_run_has_the_schedule_that_it_had(section):
    numbered = [each for each in enumerate(frozen_runs.expected()) if each[1][0].group.partition(" ")[0] == section]
    differ = [number for number, (run, digest) in numbered if run.digest() != digest]
    if differ:
        first = frozen_runs.runs()[differ[0]]
        pytest.fail(f"{len(differ)} of {len(numbered)} runs differ; the first is {first}; see {SEE} {differ[0]}")


def test_real_logs_have_the_schedules_that_they_had():
    folder = os.environ.get("LOADMASTER_TRACES")
    if not folder:
        pytest.skip("no real logs: set LOADMASTER_TRACES to the folder that holds them")
    kept = frozen_runs.kept()
    found = list(frozen_runs.log_groups(Path(folder)))
    assert len(found) == len(frozen_runs.LOGS) * len(frozen_runs.LOG_DISCIPLINES)
    assert [name for name, digest in found if kept.get(name) != [digest]] == []
