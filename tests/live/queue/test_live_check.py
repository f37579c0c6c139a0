"""The check of a live record finds what is not as it was: a decision changed by hand, a rule that is not pure."""

import json

import pytest
from fake_runs import Looking, drive, made_jobs, ruled

from loadmaster.live.queue.check import check_live, scheduler_in
from loadmaster.live.queue.record import FILE, ledger_after, lines_of, passes_of
from loadmaster.model import InputError


def changed(folder, change):
    """Put every line of the record through `change`."""
    path = folder / FILE
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    path.write_text("".join(json.dumps(change(line)) + "\n" for line in lines))


def test_a_start_that_was_changed_by_hand_is_found(tmp_path):
    run = drive(tmp_path, made_jobs(15, 1))

    def elsewhere(line):
        for each in line.get("passes", ()):
            for start in each["starts"]:
                if start[0] == "0":
                    start[1] = ["node1" if host == "node0" else "node0" for host in start[1]]
        return line

    changed(tmp_path, elsewhere)
    checked = check_live(tmp_path, run.scheduler)
    assert not checked.same
    assert "the recorded snapshot gives another decision now" in checked.first


def test_a_start_that_was_refused_and_decided_again_counts_twice_and_the_notes_say_so(tmp_path):
    run = drive(tmp_path, made_jobs(15, 1), rates="busy=0.3")
    refused = sum(run.report.refusals.values())
    checked = check_live(tmp_path, run.scheduler)
    assert refused > 0
    assert (checked.same, checked.starts, checked.jobs) == (True, 15 + refused, 15)
    assert f"The {15 + refused} starts of the record are of 15 jobs" in checked.notes[-1]


def test_another_rule_than_decided_is_found(tmp_path):
    drive(tmp_path, made_jobs(40, 1, every_s=2.0))
    checked = check_live(tmp_path, Looking(ruled("worse-fit-cores")))
    assert checked.same_passes < checked.passes


def test_a_missing_end_shows_in_the_simulation(tmp_path):
    """Without the word that a job has ended nobody starts in its place."""
    run = drive(tmp_path, made_jobs(30, 1, every_s=2.0))
    whole = check_live(tmp_path, run.scheduler)
    late = []

    def later(line):
        if "seen" in line and line["seen"].get("gone") and line["cycle"] < 100.0 and not late:
            late.append(line["seen"].pop("gone"))
        return line

    changed(tmp_path, later)
    assert whole.same
    assert not check_live(tmp_path, run.scheduler).same


def test_a_record_without_its_rules_says_so(tmp_path):
    drive(tmp_path, made_jobs(3, 1))
    with pytest.raises(InputError, match="does not say which rules decided"):
        check_live(tmp_path)


def test_a_folder_without_a_record_is_refused(tmp_path):
    with pytest.raises(InputError, match="no record of a live run here"):
        check_live(tmp_path)


def test_python_that_came_with_a_record_is_not_run(tmp_path):
    from loadmaster.runs import Setting

    about = {"setting": Setting("mine.py:rate").plain(), "sources": {"mine.py": "def rate(d, f, c): return 0.0"}}
    with pytest.raises(InputError, match=r"mine\.py.*has Python code.*--trust"):
        scheduler_in(about, tmp_path)


@pytest.mark.parametrize("discipline", ["multifactor+easy", "fair-share", "easy"])
def test_decisions_after_any_cut_are_those_of_the_run(tmp_path, discipline):
    """Whoever begins again with a part of the record decides as the one who never stopped."""
    rule = ruled(discipline=discipline)
    drive(tmp_path, made_jobs(40, 1, every_s=2.0), scheduler=rule)
    lines = lines_of(tmp_path)
    for cut in range(1, len(lines), 9):
        reading = ledger_after(lines[:cut], rule.discipline.order, lines[0]["origin_s"], lines[0]["seed"])
        passes = 0
        for line in lines[cut:]:
            reading.read(line)
            for each in passes_of(line):
                ids, decision = reading.ledger.waiting.ids, rule.decide(reading.ledger.snapshot())
                assert [ids[place.job] for place in decision.place] == [start.id for start in each.starts]
                reading.take(line, each)
                passes += 1
            reading.after(line)
        assert passes or cut > 2


def test_a_twin_decides_live_as_it_is_simulated_also_when_it_began_again(tmp_path):
    twin = Looking(ruled("first-fit", "twin(every_s=20)"))
    run = drive(tmp_path, made_jobs(60, 4, every_s=2.0), scheduler=twin, deaths=(9, 30))
    checked = check_live(tmp_path, run.scheduler)
    assert checked.same
    passes = [each for line in lines_of(tmp_path) for each in passes_of(line)]
    assert {option.member for each in passes for option in each.options} >= {"lxf+easy"}
