"""Digits of other scripts are no numbers: their line is left out and counted, and no reader ends in an error."""

from pathlib import Path

import polars as pl
import pytest

from loadmaster.model import InputError
from loadmaster.traces import ReadOptions, read_trace
from loadmaster.traces.values import durations, memory, numbers
from traces.logs import write

FOLDER = Path(__file__).parent / "samples"
WIDE = {ord(digit): chr(ord("\uff10") + int(digit)) for digit in "0123456789"}


@pytest.mark.parametrize("memory_cell", ["\uff11\uff12", "\u0664G", "\uff14\uff10\uff10\uff10Mn"])
def test_a_line_of_slurm_whose_memory_has_other_digits_is_left_out_and_counted(tmp_path, memory_cell):
    text = "JobID|Submit|Elapsed|ReqCPUS|ReqMem\n1|2024-01-01T00:00:00|00:01:00|1|4G\n"
    trace = read_trace(write(tmp_path, "log", f"{text}2|2024-01-01T00:00:00|00:01:00|1|{memory_cell}\n"))
    assert (trace.workload.job_id.tolist(), trace.skipped.malformed) == ([1], 1)


@pytest.mark.parametrize("amount", ["gres/gpu=\uff12", "cpu=\uff12,mem=\uff14G", "gres/gpu:a100=\u0662"])
def test_amounts_of_slurm_in_other_digits_are_no_amounts(tmp_path, amount):
    text = f"JobID|Submit|Elapsed|ReqCPUS|ReqTRES\n1|2024-01-01T00:00:00|00:01:00|1|{amount}\n"
    assert read_trace(write(tmp_path, "log", text)).workload.demand.tolist() == [[1.0, 0.0, 0.0]]


@pytest.mark.parametrize("read", [numbers, durations, lambda column: memory(column, 1.0)])
@pytest.mark.parametrize("cell", ["\uff11\uff12", "\uff11\uff12:\uff10\uff10", "\uff11G"])
def test_a_cell_of_a_table_in_other_digits_is_bad(read, cell):
    assert read(pl.Series(["1", cell])).bad.tolist() == [False, True]


@pytest.mark.parametrize(
    ("name", "submit"),
    [
        ("pbs.log", "1118087915"), ("lsb.acct", "1516104000"), ("accounting.sge", "1700000000"),
        ("condor_history.txt", "1700000000"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("digits", [WIDE, {ord("1"): "1_0"}])
def test_a_record_that_came_at_a_time_in_other_digits_is_left_out_and_counted(tmp_path, name, submit, digits):
    whole = read_trace(FOLDER / name)
    text = (FOLDER / name).read_text().replace(submit, submit.translate(digits))
    trace = read_trace(write(tmp_path, name, text), ReadOptions(format=whole.format))
    assert trace.workload.jobs == whole.workload.jobs - 1
    assert trace.skipped.malformed >= 1


def refusal(path):
    """Why a log is refused, "" if it is read."""
    try:
        read_trace(path)
    except InputError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("name", sorted(path.name for path in FOLDER.iterdir()))
def test_a_log_is_read_or_refused_wherever_its_digits_are_of_another_script(tmp_path, name):
    lines = (FOLDER / name).read_text().splitlines(keepends=True)
    for row, line in enumerate(lines):
        wide = "".join(lines[:row]) + line.translate(WIDE) + "".join(lines[row + 1 :])
        assert "\n" not in refusal(write(tmp_path, name, wide))
