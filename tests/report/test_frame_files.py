"""Tables as files: read back by the library that others use, and refused in one line."""

import polars as pl
import pytest

import loadmaster as lm
from loadmaster.report.frame_files import latex, write_frame

TABLE = pl.DataFrame({"policy": ["a_b & 50 %", None], "wait_s": [0.12345, float("nan")], "parts": [[1, 2], []]})


def test_numbers_and_text_come_back_from_csv_and_parquet(tmp_path):
    write_frame(tmp_path / "t.parquet", TABLE)
    assert pl.read_parquet(tmp_path / "t.parquet").equals(TABLE, null_equal=True)
    write_frame(tmp_path / "t.csv", TABLE)
    back = pl.read_csv(tmp_path / "t.csv")
    assert back["policy"].to_list() == ["a_b & 50 %", None]
    assert back["parts"].to_list() == ["[1, 2]", "[]"]


def test_in_latex_special_characters_are_escaped_and_nothing_is_a_dash():
    rows = latex(TABLE).splitlines()
    assert rows[4:6] == [r"a\_b \& 50 \% & 0.1235 & [1, 2] \\", r"- & - & [] \\"]


@pytest.mark.parametrize(("name", "why"), [("t.xls", "is written as one of .csv"), ("none/t.csv", "no such folder")])
def test_what_cannot_be_written_is_refused(tmp_path, name, why):
    with pytest.raises(lm.InputError, match=why):
        write_frame(tmp_path / name, TABLE)


def test_every_result_writes_its_frame(tmp_path):
    made = lm.simulate(limit=30, policy="first-fit", discipline="easy")
    path = made.write_frame(tmp_path / "jobs.csv")
    assert pl.read_csv(path).height == 30
    assert made.to_pandas().shape[0] == 30
