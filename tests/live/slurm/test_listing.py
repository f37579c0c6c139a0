"""The listing of jobs: nothing that a user writes can pass for another job, and nothing that was cut is believed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadmaster.live.slurm.listing import COLUMNS, COMMAND, parse_listing, task_numbers
from loadmaster.model import InputError


def line(**cells):
    """A line as squeue prints it."""
    given = {"JobArrayID": "7", "JobID": "7", "ArrayJobID": "7", "ArrayTaskID": "N/A", "State": "PENDING"} | cells
    return "".join(given.get(name, "(null)")[:wide].ljust(wide) for name, wide in COLUMNS.items())


def test_a_line_says_what_its_columns_say():
    rows, senseless = parse_listing(line(Partition="main", Reason="JobHeldUser") + "\n")
    assert senseless == 0
    assert (rows[0].id, rows[0]["Partition"], rows[0]["Feature"], rows[0].cut) == ("7", "main", "", "")


def test_waiting_tasks_of_an_array_are_told_one_by_one():
    rows, _ = parse_listing(line(JobArrayID="7_[2-4,9%3]", ArrayTaskID="2-4,9%3"))
    assert [(row.id, row.task, row.throttle) for row in rows] == [(f"7_{k}", k, 3) for k in (2, 3, 4, 9)]


@pytest.mark.parametrize("column", ["NodeList", "Dependency", "Feature", "Partition"])
def test_a_cell_that_fills_its_column_may_have_been_cut(column):
    rows, _ = parse_listing(line(**{column: "x" * 500}))
    assert rows[0].cut == column


def test_an_array_whose_tasks_were_cut_stays_one_row_that_says_so():
    rows, _ = parse_listing(line(JobArrayID="7_[1,3,5]", ArrayTaskID="1,3," * 100))
    assert [(row.id, row.cut) for row in rows] == [("7_[1,3,5]", "ArrayTaskID")]


@given(st.text(max_size=300))
def test_no_text_at_all_breaks_it(text):
    rows, senseless = parse_listing(text)
    assert len(rows) + senseless <= len(text.split("\n"))


FREELY = {"Comment", "Command", "WorkDir", "STDIN", "STDOUT", "STDERR", "WCKey", "system_comment", "Cluster"}


def test_a_name_with_a_line_of_its_own_is_no_job_and_breaks_none():
    spoof = line(JobArrayID="8", JobID="8", Name="x")
    rows, senseless = parse_listing(line(Name="a\n" + spoof[: COLUMNS["Name"]]) + "\n" + line(JobArrayID="9"))
    assert ([(row.id, row["Name"]) for row in rows], senseless) == ([("7", "a"), ("9", "")], 1)
    assert list(COLUMNS)[-1] == "Name"
    assert COLUMNS["Name"] < sum(COLUMNS.values()) / 2


def test_nothing_else_that_users_write_freely_is_asked_for():
    asked = [column.partition(":")[0] for column in COMMAND[-1].split(",")]
    assert asked == list(COLUMNS)
    assert not {each.lower() for each in FREELY} & {each.lower() for each in asked}


@pytest.mark.parametrize("text", ["", "a", "3-1", "1-999999999", "1:2", "1-2:0"])
def test_what_is_no_list_of_tasks_is_refused(text):
    with pytest.raises(InputError, match="no tasks of an array"):
        task_numbers(text)
