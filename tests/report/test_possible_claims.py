from dataclasses import replace

import pytest
from comparisons import comparison, template
from rich.console import Console

from loadmaster.report.compare_document import comparison_document
from loadmaster.report.compare_page import compare_page
from loadmaster.report.page import write
from loadmaster.report.possible_claims import (
    beside_possible,
    is_near,
    possible_lines,
    possible_rows,
    possible_sentences,
    times_text,
)
from loadmaster.report.summary import summary_frame
from loadmaster.report.terminal import print_comparison
from loadmaster.runs import Setting
from loadmaster.runs.machines import MachineSet
from loadmaster.search.possible import Possible


def looked(bound_s, found_s, load=0.8):
    case, run, _ = template()
    values = run.values | {"mean_wait_s": found_s, "longest_wait_s": 1e6}
    return Possible(1.0, load, case.workload.jobs, bound_s, 100, 60.0, True, values)


def far():
    waits = {("first-fit", 0.8): 4000.0, ("mix-fit", 0.8): 3000.0, ("first-fit", 0.8, "easy"): 2000.0}
    return comparison(waits, possible=[looked(250.0, 1000.0)])


def test_a_run_is_told_by_how_many_times_the_best_found_it_waits():
    compared = far()
    assert [times_text(compared, outcome) for outcome in compared.outcomes] == ["4.00", "3.00", "2.00"]
    assert beside_possible(compared, compared.outcomes[0]) == {"times_best_found": 4.0}


def test_a_run_that_did_not_run_every_job_once_is_not_set_beside_it():
    compared = far()
    cut = replace(compared.outcomes[0], metrics=replace(compared.outcomes[0].metrics, unstarted=1))
    stopped = replace(compared.outcomes[0], losses=replace(compared.outcomes[0].losses, stopped=1))
    assert [times_text(compared, outcome) for outcome in (cut, stopped)] == ["-", "-"]
    assert beside_possible(compared, cut) == {}


def on_two_sets():
    """Two sets of machines: on the second both bound and run are lower by a factor."""
    one = comparison({("first-fit", 0.8): 4000.0, ("first-fit", 0.8, "easy"): 800.0})
    settings = [Setting("first-fit", "netbatch", hosts=name) for name in ("few", "many")]
    outcomes = [replace(o, setting=setting) for o, setting in zip(one.outcomes, settings, strict=True)]
    machines = [MachineSet(name, one.case) for name in ("few", "many")]
    possible = [replace(looked(250.0, 1000.0), hosts="few"), replace(looked(50.0, 100.0), hosts="many")]
    return replace(one, outcomes=outcomes, machines=machines, possible=possible)


def test_a_run_is_set_beside_what_is_possible_on_its_own_machines(tmp_path):
    compared = on_two_sets()
    assert [times_text(compared, outcome) for outcome in compared.outcomes] == ["4.00", "8.00"]
    few, many = possible_sentences(compared)
    assert few.startswith("Load 0.80 on few: no schedule has a mean wait below 4.17 min")
    assert "waits 4 times that" in few
    assert "waits 8 times that" in many
    console = Console(width=200, record=True)
    print_comparison(console, compared)
    lines = [line.split()[:3] for line in console.export_text().splitlines()]
    assert [line[0] for line in lines if line[1:] == ["best", "found"]] == ["few", "many"]
    document = comparison_document(compared)
    assert [row.get("hosts") for row in document["rows"]] == ["few", "few", "many", "many", "few", "many"]
    assert [each["hosts"] for each in document["possible"]] == ["few", "many"]
    write(tmp_path / "page.html", compare_page(compared))
    text = (tmp_path / "page.html").read_text()
    assert [f"best possible, load 0.80 on {name}" in text for name in ("few", "many")] == [True, True]


def test_without_the_question_nothing_is_said():
    plain = comparison({("first-fit", 0.8): 4000.0})
    assert possible_rows(plain) == possible_sentences(plain) == []
    assert beside_possible(plain, plain.outcomes[0]) == {}


def test_only_near_ones_are_said_to_leave_nothing_to_gain():
    (apart,) = possible_sentences(far())
    assert "a factor 4 apart" in apart
    assert "The lowest here, first-fit under easy, waits 2 times that." in apart
    assert "11.6 d" in apart  # the longest wait
    (near,) = possible_sentences(comparison({("first-fit", 0.8): 1100.0}, possible=[looked(950.0, 1000.0)]))
    assert "no schedule is much better" in near
    assert "no schedule is much better" not in apart


def test_where_a_run_is_the_best_found_the_sentence_names_it_and_compares_it_with_nothing():
    compared = far()
    best = replace(compared.possible[0], run=compared.outcomes[2].setting)
    taken = replace(compared, possible=[best])
    (sentence,) = possible_sentences(taken)
    assert "the best found is what first-fit under easy made here, 16.7 min (longest 11.6 d)" in sentence
    assert "times that" not in sentence
    assert comparison_document(taken)["possible"][0]["best_found_by"] == {"policy": "first-fit", "discipline": "easy"}


@pytest.mark.parametrize(
    ("bound_s", "found_s", "near"), [(0.0, 0.0, True), (100.0, 110.0, True), (100.0, 111.0, False)]
)
def test_near_is_within_a_tenth(bound_s, found_s, near):
    assert is_near(looked(bound_s, found_s)) == near


def test_both_rows_stand_above_the_first_group_of_their_load_alone():
    compared = far()
    names = [[name for name, _, _ in possible_lines(compared, group)] for group in compared.groups]
    assert names == [["bound", "best found"], []]


def test_table_document_frame_and_page_show_them(tmp_path):
    compared = far()
    console = Console(width=200, record=True)
    print_comparison(console, compared)
    text = console.export_text()
    assert "× best found" in text.replace("\n", " ") or "× best" in text
    assert "\nbest found " in text
    document = comparison_document(compared)
    assert [row["kind"] for row in document["rows"]] == ["bound", "best found", *["candidate"] * 3]
    assert document["possible"][0]["best_found_s"] == 1000.0
    assert summary_frame(compared)["kind"].to_list()[:2] == ["bound", "best found"]
    write(tmp_path / "page.html", compare_page(compared))
    assert "How far from the best possible" in (tmp_path / "page.html").read_text()
