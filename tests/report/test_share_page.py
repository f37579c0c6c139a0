"""The page of `share`: ratios in equal digits, and no axis where nothing is to be seen on it."""

from dataclasses import replace

from loadmaster.report.page import Chart, Table
from loadmaster.report.share_page import share_page
from loadmaster.runs.sharing_row import SharingRow

ROW = SharingRow("mosix", "", "shared", "no migration", 9, 0, 0.0, 60.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 4)
ROWS = [ROW, replace(ROW, method="pvm", mean_stretch=1.482, mean_yield=0.94)]


def blocks(rows, kind):
    return [block for block in share_page("answer", [], rows, {}).blocks if type(block) is kind]


def panels(chart):
    return chart.to_dict(validate=False).get("hconcat")


def test_stretches_of_all_methods_have_the_same_digits():
    (table,) = blocks(ROWS, Table)
    assert [row[1] for row in table.rows] == ["1.00", "1.48"]


def test_waits_are_drawn_where_a_job_waits_and_are_else_said_to_be_none():
    assert len(panels(blocks(ROWS, Chart)[-1].chart)) == 1
    assert "Under no method does any job wait" in blocks(ROWS, Chart)[-1].caption
    waiting = [ROWS[0], replace(ROWS[1], mean_wait_s=90.0)]
    assert len(panels(blocks(waiting, Chart)[-1].chart)) == 2


def test_yields_are_drawn_up_to_1():
    (panel,) = panels(blocks(ROWS, Chart)[-1].chart)
    assert panel["encoding"]["x"]["scale"]["domain"] == [0, 1]
