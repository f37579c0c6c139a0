"""Priorities of waiting jobs as `sprio` prints them."""

from pathlib import Path

import numpy as np
import pytest

from loadmaster.model import Constraints, InputError, Workload
from loadmaster.site.sprio import read_priorities, with_priorities

RELEASES = Path(__file__).parent / "releases"
OLD, NEW = ((RELEASES / f"sprio-{release}.txt").read_text() for release in ("20.11", "25.11"))
BARS = "PRIORITY|JOBID\n1200|105\n1700|106\n"
NORMALISED = OLD.replace("1200", "0.0000000012").replace("1500", "0.0000000015").replace("1700", "0.0000000017")


@pytest.fixture
def read(tmp_path):
    def of(text):
        (tmp_path / "sprio.txt").write_text(text)
        return read_priorities(tmp_path / "sprio.txt")

    return of


@pytest.mark.parametrize("text", [OLD, NEW, BARS])
def test_each_job_has_the_largest_priority_of_its_lines(read, text):
    assert read(text) == {"105": 1200.0, "106": 1700.0}


def test_normalised_priorities_keep_the_order(read):
    assert read(NORMALISED) == {"105": 1.2e-9, "106": 1.7e-9}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "no table of sprio"),
        ("JOBID PARTITION ST\n1 main R\n", "no table of sprio"),
        ("{}", "no table of sprio"),
        ("JOBID PRIORITY\n", "lists no job"),
        ("JOBID PRIORITY\n105\n", "no line of sprio"),
        ("JOBID PRIORITY\n105 high\n", "a priority is a number"),
        ("JOBID PRIORITY\n105 nan\n", "a priority is a number"),
        ("JOBID PRIORITY\n105 -4\n", "a priority is a number"),
        ("JOBID PRIORITY\n../x 4\n", "no line of sprio"),
    ],
)
def test_other_text_is_refused_in_one_line(read, text, why):
    with pytest.raises(InputError, match=why):
        read(text)


def test_a_file_that_cannot_be_read_is_refused(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        read_priorities(tmp_path / "none.txt")


def test_waiting_jobs_alone_get_priorities_and_tasks_those_of_their_array():
    bound = Constraints(
        priority=np.array([7.0, 7.0, 7.0, 7.0]),
        array=np.array([-1, -1, 30, 30], np.int32),
        array_task=np.array([-1, -1, 1, 2], np.int32),
    )
    log = Workload.of(submit_s=[0] * 4, runtime_s=[1] * 4, cores=[1] * 4, job_id=[10, 11, 31, 32], constraints=bound)
    waits = np.array([False, True, True, True])
    made, note = with_priorities(log, {"10": 1.0, "30": 3.0, "30_2": 4.0}, waits)
    assert made.constraints.priority.tolist() == [7.0, 0.0, 3.0, 4.0]
    assert note == (
        "The order of 2 waiting jobs is that of sprio, as it was when sprio ran. Those without a line there come last "
        "(1 of them)."
    )
    with pytest.raises(InputError, match="names none of the jobs that wait"):
        with_priorities(log, {"10": 1.0}, waits)
