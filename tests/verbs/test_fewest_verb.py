"""`fewest`: the planner's question, the same on the command line and in Python."""

import json
import sys
from dataclasses import replace

import pytest

import loadmaster as lm
from loadmaster.cli import main
from loadmaster.report.fewest import FewestRow
from loadmaster.verbs.fewest import FoundFewest

PRICED = ["1..40x4c@1", "1..20x8c@1.9"]


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("submit_s,runtime_s,cores\n" + "".join(f"{10 * i},{300 + i % 7 * 50},1\n" for i in range(200)))
    return path


def printed(command, capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["loadmaster", *command.split()])
    with pytest.raises(SystemExit) as end:
        main()
    text = capsys.readouterr()
    return end.value.code, text.out, text.err


def test_python_and_the_command_line_give_the_same_rows_and_the_cheapest_is_named(log, tmp_path, capsys, monkeypatch):
    command = (
        f"fewest {log} --hosts {PRICED[0]} --hosts {PRICED[1]} --p95 1min --currency EUR --json -o {tmp_path / 'f'}"
    )
    code, out, _ = printed(command, capsys, monkeypatch)
    made, found = json.loads(out), lm.fewest(log, PRICED, p95="1min", currency="EUR")
    assert code == 0
    assert made["rows"] == found.rows
    costs = [row["cost_per_hour"] for row in made["rows"]]
    assert made["best"] == costs.index(min(costs))
    cheapest = "EUR an hour keep a p95 wait of at most 1 min: the cheapest of 2 kinds alone and of all their mixes"
    assert cheapest in made["answer"]
    page = (tmp_path / "f" / "report.html").read_text()
    assert "The wait against the number of machines" in page
    assert made["answer"].split(" for ")[0] in page


def test_the_number_is_the_one_that_compare_confirms(log):
    row = lm.fewest(log, "1..40x4c", p95="1min").rows[0]
    fewer = f"{row['fewest'] - 1}x4c"
    p95 = lm.compare(log, [row["machines"], fewer], policies="first-fit").frame["p95_wait_s"].to_list()
    assert p95[0] == row["p95_wait_s"] <= 60 < p95[1]


def test_more_jobs_an_hour_need_more_machines(log):
    now, grown = (lm.fewest(log, "1..90x4c", p95="1min", growth=growth).rows[0]["fewest"] for growth in (1.0, 1.5))
    assert grown > now


def test_no_number_that_suffices_is_an_answer_of_exit_code_1(log, capsys, monkeypatch, tmp_path):
    code, out, _ = printed(f"fewest {log} --hosts 1..3x4c --mean 1s -o {tmp_path / 'f'}", capsys, monkeypatch)
    assert code == 1
    assert "No number of these machines has a mean wait of at most 1 s, not even 3x4c." in " ".join(out.split())


def test_the_least_of_a_range_is_not_called_the_fewest_without_a_word(log, capsys, monkeypatch, tmp_path):
    _, out, _ = printed(f"fewest {log} --hosts 30..40x4c --p95 1min -o {tmp_path / 'f'}", capsys, monkeypatch)
    assert "p95 wait of at most 1 min; fewer than 30 were not tried." in " ".join(out.split())
    _, out, _ = printed(f"fewest {log} --hosts 1..40x4c --p95 1min -o {tmp_path / 'f'}", capsys, monkeypatch)
    assert "not asked about" not in out


def test_what_was_run_once_is_kept(log, tmp_path, capsys, monkeypatch):
    command = f"fewest {log} --hosts 1..40x4c --p95 1min --samples 5 -o {tmp_path / 'f'}"
    printed(command, capsys, monkeypatch)
    _, _, err = printed(command, capsys, monkeypatch)
    kept, asked = err.split(" runs were kept")[0].split(" of ")
    assert int(kept) == int(asked) > 5


@pytest.mark.parametrize(("options", "why"), [
    ({}, "how long jobs may wait is not given"), ({"p95": "soon"}, "soon"), ({"p95": "1h", "growth": 0}, "--growth"),
    ({"p95": "1h", "resample": "users"}, "no samples are drawn"), ({"p95": "1h", "samples": 2}, "at least 5"),
    ({"p95": "1h", "currency": "EUR"}, "no price"), ({"p95": "1h", "hosts": "5..2x4c"}, "go up"),
])  # fmt: skip
def test_what_cannot_be_asked_is_refused_in_one_line(log, options, why):
    with pytest.raises(lm.InputError, match=why) as refused:
        lm.fewest(log, **{"hosts": "1..9x4c", **options})
    assert len(str(refused.value)) < 300


def test_dependencies_that_samples_cut_are_told_as_compare_tells_them(tmp_path, capsys, monkeypatch):
    path, lines = tmp_path / "weeks.csv", ["job_id,submit_s,runtime_s,cores,user,depends"]
    lines += [f"{i + 1},{i * 30000},3000,1,u{i % 6},{f'afterany:{i}' if i % 3 == 0 and i else ''}" for i in range(100)]
    path.write_text("\n".join(lines) + "\n")
    asked = f"fewest {path} --hosts 1..4x4c --p95 1h --samples 5 -o {tmp_path / 'f'}"
    _, out, _ = printed(f"{asked} --json", capsys, monkeypatch)
    (row,) = json.loads(out)["rows"]
    _, out, _ = printed(asked, capsys, monkeypatch)
    assert row["dependencies_cut"] > 10
    assert f"A sample cuts {row['dependencies_cut']:.0f} dependencies between jobs" in " ".join(out.split())


def test_no_number_is_named_where_the_jobs_left_out_hold_most_of_the_work(tmp_path, capsys, monkeypatch):
    path = tmp_path / "fat.csv"
    rows = [f"{10 * i},300,{64 if i % 50 == 0 else 1}\n" for i in range(200)]
    path.write_text("submit_s,runtime_s,cores\n" + "".join(rows))
    code, out, error = printed(f"fewest {path} --hosts 1..4x16c --p95 1h", capsys, monkeypatch)
    assert (code, out) == (2, "")
    assert "4 of 200 jobs (2.0 %) with 57 % of the work are left out" in " ".join(error.split())


def test_nothing_is_promised_where_jobs_really_waited_while_there_was_room(tmp_path):
    def answer(wait):
        path = tmp_path / "log.csv"
        rows = [f"{100 * i},{100 * i + wait(i)},600,{8 if i == 20 else 1}\n" for i in range(100)]
        path.write_text("submit_s,start_s,runtime_s,cores\n" + "".join(rows))
        return lm.fewest(path, "1..4x16c", **target).answer

    target = {"p95": "1h"}
    held = answer(lambda i: 7200)
    assert held.startswith("No promise for the site: jobs really waited 2 h on average, and ")
    assert " In the model alone, 1x16c keep a p95 wait of at most 1 h" in held
    assert answer(lambda i: 0) == "1x16c keep a p95 wait of at most 1 h."
    short = answer(lambda i: 10)
    assert short.startswith("1x16c keep a p95 wait of at most 1 h. Jobs really waited 10 s on average, and ")
    assert short.endswith(" while there was room. More machines do not end that; this part alone keeps the target.")
    few = answer(lambda i: 7200 * (i % 25 == 7))
    assert few.startswith("1x16c keep a p95 wait of at most 1 h. Jobs really waited 4.8 min on average, and ")
    target = {"p99": "1h"}
    assert answer(lambda i: 7200 * (i % 25 == 7)).startswith("No promise for the site: ")
    target = {"p95": "1h", "mean": "4min"}
    assert answer(lambda i: 7200 * (i % 25 == 7)).startswith("No promise for the site: ")


def test_a_search_that_its_limit_ends_says_what_was_not_ruled_out(log, tmp_path, capsys, monkeypatch):
    none = lm.fewest(log, PRICED[:1], p95="1min", time_limit=1e-9)
    assert none.answer.startswith("The search ended at its limit of 1e-09 s: no run was made that has a p95 wait")
    assert not none.enough
    whole = lm.fewest(log, PRICED[:1], p95="1min").found
    cut = replace(whole.answers[0].fewest, ended=True, tried=((4, whole.answers[0].fewest.outcome),), number=12)
    part = FoundFewest(replace(whole, answers=(FewestRow(whole.answers[0].machines, cut),), ended="by Ctrl-C"))
    assert "best found, as the search ended by Ctrl-C and did not rule out 5 to 11" in part.answer
    code, out, _ = printed(
        f"fewest {log} --hosts {PRICED[0]} --p95 1min --time-limit 0.000000001 --json -o {tmp_path}",
        capsys,
        monkeypatch,
    )
    assert (code, json.loads(out)["rows"][0]["ended"]) == (1, True)
    with pytest.raises(lm.InputError, match="samples repeat the search"):
        lm.fewest(log, PRICED[:1], p95="1min", time_limit=5, samples=5)
    with pytest.raises(lm.InputError, match="above 0 s"):
        lm.fewest(log, PRICED[:1], p95="1min", time_limit=0)
