"""Names that a spreadsheet would run as formulas are text in every CSV file we write, and come back as they were."""

import csv
import sys

import numpy as np
import polars as pl
import pytest

from loadmaster.cli import main
from loadmaster.model import Cluster
from loadmaster.traces import read_hosts, write_hosts
from loadmaster.traces.spreadsheet import as_named, harmless

NAMES = ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "'=x", "plain", "a=b", "'quoted'"]


def rows_of(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_a_name_comes_back_as_it_was():
    column = harmless(pl.DataFrame({"name": NAMES}))["name"]
    assert all(name[0] not in "=+-@\t\r" for name in column)
    assert as_named(column).to_list() == NAMES


def test_numbers_are_left_alone_and_a_head_is_quoted_like_a_cell():
    frame = harmless(pl.DataFrame({"=x": [-1.5, 2.0]}))
    assert frame.to_dict(as_series=False) == {"'=x": [-1.5, 2.0]}


def test_the_hosts_of_a_file_keep_their_names(tmp_path):
    names = ("=cmd|' /C calc'!A0", "@x", "web-1")
    write_hosts(named_hosts(names), tmp_path / "h.csv")
    cells = [row["name"] for row in rows_of(tmp_path / "h.csv")]
    assert cells == ["'=cmd|' /C calc'!A0", "'@x", "web-1"]
    assert read_hosts(str(tmp_path / "h.csv")).names == names


def named_hosts(names):

    return Cluster(("cores",), np.ones((len(names), 1)), names)


@pytest.mark.parametrize(
    ("command", "file", "columns"),
    [
        ("pack tasks.csv --hosts hosts.csv -o out", "placement.csv", {"task": "'=2+3", "host": "'+h"}),
        ("rebalance state.csv --hosts hosts.csv --moves 1 -o out", "moves.csv", {"task": "'=2+3", "to": "'+h"}),
    ],
)
def test_what_a_verb_writes_is_harmless(tmp_path, monkeypatch, command, file, columns):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "hosts.csv").write_text("name,cores\n+h,2\n")
    (tmp_path / "tasks.csv").write_text("name,cores\n=2+3,1\n")
    (tmp_path / "state.csv").write_text("name,cores,host\n=2+3,1,\n")
    monkeypatch.setattr(sys, "argv", ["loadmaster", *command.split()])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 0
    row = rows_of(tmp_path / "out" / file)[0]
    assert {name: row[name] for name in columns} == columns
