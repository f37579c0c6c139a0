"""`tune`: the same seed finds the same winner, stopped or not, and nothing of it comes from the weeks held out."""

import json
import sqlite3
from dataclasses import replace

import numpy as np
import pytest
from weekly_log import FEW, WEEK_S, weekly_log

import loadmaster as lm
from loadmaster.cli.tune import _show
from loadmaster.measure.paired_comparison import Difference
from loadmaster.order import ORDERS
from loadmaster.report.page import Table, Text
from loadmaster.report.tune_charts import trials_chart, weeks_chart
from loadmaster.report.tune_claims import gain_claimed, rule_table, rule_words, tune_answer, tune_notes
from loadmaster.report.tune_document import tune_document
from loadmaster.results.watch import Watch
from loadmaster.tuning.figures import Figures
from loadmaster.tuning.holdout import Gain, rule_to_beat
from loadmaster.tuning.space import FILE
from loadmaster.verbs.tune import TuneOptions, tune_with

HOSTS = lm.hosts("1x8c")
SMALL = {"hosts": HOSTS, "trials": 6, "runs": 2, "samples": 5}


@pytest.fixture(scope="module", autouse=True)
def few_built_in_orders():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("loadmaster.tuning.baselines.ORDERS", FEW)
        yield


@pytest.fixture(scope="module")
def log():
    return weekly_log(weeks=10, jobs_a_week=30)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("tuned")


@pytest.fixture(scope="module")
def found(log, folder):
    return lm.tune(log, **SMALL, out=folder)


def chosen(result):
    selection = result.tuning.selection
    return selection.trials, selection.finalists, selection.builtins


def test_the_same_seed_finds_the_same_winner_without_a_folder_too(log, found):
    again = lm.tune(log, **SMALL)
    assert chosen(again) == chosen(found)
    assert again.answer == found.answer


def test_a_dask_cluster_finds_the_same_winner(log, found):
    distributed = pytest.importorskip("distributed", reason="the extra `dask` is not installed")
    with distributed.LocalCluster(n_workers=1, threads_per_worker=2, dashboard_address="127.0.0.1:0") as cluster:
        there = lm.tune(log, **SMALL, on=cluster.scheduler_address)
    assert chosen(there) == chosen(found)
    assert there.answer == found.answer


def test_weeks_that_are_held_out_are_not_looked_at_by_the_search(log, found):
    late = np.flatnonzero(log.submit_s - log.submit_s[0] >= 5 * WEEK_S)
    runtime_s, demand, estimate_s = log.runtime_s.copy(), log.demand.copy(), log.estimate_s.copy()
    runtime_s[late], demand[late], estimate_s[late] = 9e6, 8.0, 9e7
    poisoned = replace(log, runtime_s=runtime_s, demand=demand, estimate_s=estimate_s)
    other = lm.tune(poisoned, **SMALL)
    assert chosen(other) == chosen(found)
    theirs, ours = (each.tuning.unseen.whole[0].values["mean_wait_s"] for each in (other, found))
    assert theirs > 10 * ours


class Interrupting(Watch):
    """Ctrl-C after so many runs."""

    def __init__(self, runs):
        self.left = runs

    def finished(self, cell):
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt


def test_a_search_that_was_stopped_goes_on_to_what_it_would_have_found(log, found, tmp_path):
    options = TuneOptions(log, **SMALL, out=tmp_path)
    for runs in (7, 9):  # within the first batch of trials, and within the second
        with pytest.raises(KeyboardInterrupt):
            tune_with(options, Interrupting(runs))
    counted = Interrupting(10**6)
    assert chosen(tune_with(options, counted)) == chosen(found)
    with sqlite3.connect(tmp_path / "results.sqlite") as kept:
        total = kept.execute("select count(*) from results").fetchone()[0]
    assert 10**6 - counted.left == total - (7 + 9)  # what was made before was not made again


class Foreseeing(Watch):
    """How many runs there are in all, as it is known at the beginning of each study."""

    def __init__(self):
        self.begun = self.rest = 0
        self.in_all = []

    def ahead(self, cells):
        self.rest = cells

    def begin(self, cells, kept, steps):
        self.begun += cells
        self.in_all.append(self.begun + self.rest)


def test_who_watches_is_told_from_the_first_trials_on_how_many_runs_there_are(log):
    watch = Foreseeing()
    tune_with(TuneOptions(log, **SMALL), watch)
    assert watch.in_all[-1] == watch.begun  # nothing is left
    assert all(0.5 * watch.begun < told < 1.5 * watch.begun for told in watch.in_all)


def test_a_fitted_site_gives_its_hosts(log, found, tmp_path):
    site = tmp_path / "site.yaml"
    site.write_text("hosts: 1x8c\ndiscipline: lxf+easy\ninterval_s: 0\n")
    given = {name: value for name, value in SMALL.items() if name != "hosts"}
    assert chosen(lm.tune(log, **given, site=site)) == chosen(found)


def test_more_trials_go_on_behind_those_that_were_made(log, found, folder):
    more = lm.tune(log, **(SMALL | {"trials": 9}), out=folder)
    assert more.tuning.selection.trials[:6] == found.tuning.selection.trials
    assert len(more.frame) == 9


def test_compare_takes_the_written_file_and_gives_the_same_numbers(found, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found.save(tmp_path)
    held_out = found.tuning.weeks.held_out.workload
    row = lm.compare(held_out, HOSTS, policies="first-fit", disciplines=f"{FILE}:rank+easy").frame.row(0, named=True)
    values = found.tuning.unseen.whole[0].values
    assert row["mean_wait_s"] == values["mean_wait_s"]
    assert row["longest_wait_s"] == values["longest_wait_s"]
    by_value = lm.compare(held_out, HOSTS, policies=[found.rule.policy], disciplines=[found.rule.discipline])
    assert by_value.frame["mean_wait_s"][0] == values["mean_wait_s"]


def test_the_result_is_opened_again_as_it_was(found, folder, log):
    lm.tune(log, **SMALL, out=folder)
    opened = lm.open(folder)
    assert (opened.answer, opened.notes) == (found.answer, found.notes)
    assert opened.frame.equals(found.frame)
    assert opened.rule.text.split("Use:")[1] == found.rule.text.split("Use:")[1]


def test_the_page_says_what_it_is_why_it_wins_and_where_it_loses(folder, found):
    page = (folder / "report.html").read_text()
    for heading in ("What it is", "On weeks that the search never saw", "Why it wins", "Where it loses", "The trials"):
        assert heading in page


def table_below(heading, page):
    at = next(k for k, block in enumerate(page.blocks) if getattr(block, "text", "") == heading)
    return next(block for block in page.blocks[at:] if isinstance(block, Table))


def test_waits_of_a_table_stand_in_one_unit_that_its_heads_name(found):
    heads, rows = rule_table(found.tuning)
    waits = [head.rpartition(" ") for head in heads[1:5] if "wait" in head]
    assert {unit for _, _, unit in waits} <= {"s", "min", "h", "d"}
    assert len({unit for _, _, unit in waits}) == 1
    assert all(float(cell.replace(",", "")) >= 0 for row in rows for cell in row[1:5])
    values = found.tuning.unseen.whole[0].values
    size = {"s": 1, "min": 60, "h": 3600, "d": 86400}[waits[0][2]]
    assert float(rows[0][1].replace(",", "")) == pytest.approx(values["mean_wait_s"] / size, rel=0.01)
    lost = table_below("Where it loses", found.page())
    assert len({head.rpartition(" ")[2] for head in lost.columns[2:]}) == 1
    assert all(float(cell.replace(",", "")) >= 0 for row in lost.rows for cell in row[2:])


def test_long_names_of_rules_are_whole_in_the_legend_of_the_weeks(found):
    legend = weeks_chart(found.tuning).to_dict()["encoding"]["color"]["legend"]
    assert legend == {"labelLimit": 0, "orient": "top"}  # beside the chart there is no room


def test_candidates_for_two_targets_that_lie_close_have_marks_and_axes_that_tell_them_apart(found):
    tuning = found.tuning
    close = [
        trial._replace(figures=Figures((k / 500, -k / 500), 0.0)) for k, trial in enumerate(tuning.selection.trials)
    ]
    plan = replace(tuning.plan, targets=("mean_wait_s", "p95_wait_s"))
    chart = trials_chart(replace(tuning, plan=plan, selection=replace(tuning.selection, trials=tuple(close))))
    marks = chart.to_dict()["layer"][1]["encoding"]
    assert marks["color"]["legend"] == marks["shape"]["legend"] == {"labelLimit": 0, "orient": "top"}
    assert marks["x"]["axis"]["format"] == marks["y"]["axis"]["format"] == ".4~g"  # 0.985 and 0.99 are two numbers


def test_what_a_term_weighs_stands_below_it_so_that_what_it_earns_is_seen_on_a_narrow_page(found):
    told, why = found.tuning.unseen.ablations, table_below("Why it wins", found.page())
    assert [row[0] for row in why.rows] == [each.knob.term for each in told]
    assert why.below == {r: each.knob.meaning for r, each in enumerate(told)}


def test_every_term_of_the_winner_is_taken_out_once(found):
    values = found.tuning.selection.won.values
    config = {name for name, value in values.items() if value != 0.0}
    assert {each.knob.name for each in found.tuning.unseen.ablations} == config


def test_a_gain_is_claimed_only_where_its_interval_is_below_zero():
    rule = None
    for low, high, how, claimed in (
        (-0.3, -0.1, "percentile", True),
        (-0.3, 0.0, "percentile", False),
        (-0.3, 0.1, "spread", False),
        (-0.3, -0.1, "chaos", False),
        (0.1, 0.2, "percentile", False),
    ):
        assert Gain(rule, (Difference((low + high) / 2, low, high, 0.5, how),)).claimed == claimed


def test_no_gain_is_claimed_over_a_built_in_rule_that_is_as_low_on_the_unseen_weeks(found):
    told = found.tuning.unseen
    gain = replace(told.gains[0], differences=(Difference(-0.3, -0.4, -0.2, 0.001, "percentile"),))

    def tuning(built_in_s):
        waits = [100.0, *[built_in_s] * (len(told.whole) - 1)]
        whole = [replace(told.whole[0], values=told.whole[0].values | {"mean_wait_s": wait}) for wait in waits]
        return replace(found.tuning, unseen=replace(told, because="", gains=(gain,), whole=tuple(whole)))

    assert gain_claimed(tuning(120.0))
    assert tune_answer(tuning(120.0)).startswith(
        "On 5 weeks that the search never saw, the tuned rule's mean wait is 26 % below"
    )
    assert not gain_claimed(tuning(100.5))
    against = rule_words(found.tuning, told.rival)
    assert tune_answer(tuning(100.5)).startswith(
        f"No gain is claimed: {against} is as low on those weeks as they are; on 5 weeks that the search never saw, "
        f"the tuned rule's mean wait is 26 % below {against}'s, the best built-in rule there under the same limit"
    )


def test_there_is_one_rule_to_beat_in_words_table_charts_and_document(found):
    tuning, told = found.tuning, found.tuning.unseen
    kept = [
        (whole.values["mean_wait_s"], rule_words(tuning, rule))
        for rule, whole in zip(told.rules[1:], told.whole[1:], strict=True)
        if whole.values["longest_wait_s"] <= 1.5 * told.whole[1].values["longest_wait_s"]
    ]
    name = min(kept)[1]
    assert rule_words(tuning, told.rival) == name
    assert f" {name}'s" in found.answer
    page = found.page()
    marked = [row[0] for block in page.blocks if isinstance(block, Table) for row in block.rows if "to beat" in row[0]]
    assert marked == [f"{name} (the rule to beat)"]
    assert f"{name}, the rule to beat" in json.dumps(found.plot().to_dict())
    weeks = json.dumps(weeks_chart(tuning).to_dict())
    assert f'"{name}"' in weeks
    document = tune_document(tuning, (), "")
    assert document["rule_to_beat"]["discipline"] == name
    assert document["gains"][0]["discipline"] == name
    assert {row["against"] for row in document["losers"]} <= {name}


@pytest.mark.parametrize(("count", "said"), [(1, "1 candidate is on the"), (2, "2 candidates are on the")])
def test_the_pareto_front_is_told_with_how_many_are_on_it(found, count, said):
    tuning = found.tuning
    plan = replace(tuning.plan, targets=("mean_wait_s", "p95_wait_s"))
    selection = replace(tuning.selection, front=tuple(range(count)))
    assert said in tune_notes(replace(tuning, plan=plan, selection=selection))[-1]


def test_a_built_in_rule_beyond_the_limit_or_that_leaves_more_jobs_is_not_the_one_to_beat(found):
    plan, rules, values = found.tuning.plan, ["fcfs", "sjf", "f1"], found.tuning.unseen.whole[0].values
    made = [
        values | {"mean_wait_s": wait, "longest_wait_s": longest, "unstarted": left}
        for wait, longest, left in ((9.0, 100.0, 0), (5.0, 151.0, 0), (6.0, 100.0, 1))
    ]
    assert rule_to_beat(rules, made, plan) == "fcfs"
    assert rule_to_beat(rules, [made[0], made[1] | {"longest_wait_s": 150.0}, made[2]], plan) == "sjf"


@pytest.fixture(scope="module")
def known_wins(log, tmp_path_factory):
    """A search on the same log, where every built-in order is known."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("loadmaster.tuning.baselines.ORDERS", ORDERS)
        return lm.tune(log, **SMALL, out=tmp_path_factory.mktemp("known"))


def test_a_built_in_rule_that_is_lower_in_the_finals_wins(known_wins, found):
    selection = known_wins.tuning.selection
    assert selection.trials == found.tuning.selection.trials
    assert selection.winner.rule.setting.discipline == "area+easy"
    assert selection.won is None
    assert selection.winner.judged.value == min(each.judged.value for each in selection.finalists)
    assert selection.winner.judged.value < found.tuning.selection.winner.judged.value


def test_every_built_in_rule_within_the_limit_is_judged_beside_the_candidates(known_wins):
    selection = known_wins.tuning.selection
    judged = {each.rule.setting for each in selection.finalists if each.number is None}
    assert len(judged) > 5
    assert judged <= {rule.setting for rule, tried in selection.builtins[1:] if tried.keeps(1.5)}
    assert all(each.judged.value < 0 and each.judged.keeps(1.5) for each in selection.finalists)


def test_a_built_in_rule_over_the_limit_is_not_judged(log, monkeypatch):
    monkeypatch.setattr("loadmaster.tuning.baselines.ORDERS", ORDERS)
    selection = lm.tune(log, **SMALL, longest_wait_limit=1.0).tuning.selection
    over = {rule.setting for rule, tried in selection.builtins[1:] if not tried.keeps(1.0)}
    assert "smallest+easy" in {setting.discipline for setting in over}
    assert not over & {each.rule.setting for each in selection.finalists}


def test_a_built_in_winner_is_named_is_no_file_and_is_not_measured_against_itself(known_wins):
    tuning, told = known_wins.tuning, known_wins.tuning.unseen
    assert " area+easy's mean wait is " in known_wins.answer
    assert "the tuned rule" not in known_wins.answer
    assert "area+easy is a built-in rule: of 6 candidates none was lower" in " ".join(known_wins.notes)
    assert told.rival.setting.discipline != "area+easy"
    assert [rule.setting.discipline for rule in told.rules].count("area+easy") == 1
    assert told.ablations == ()
    assert known_wins.file is None
    assert (known_wins.rule.policy, known_wins.rule.discipline) == ("first-fit", ("area", "easy"))
    assert "--disciplines 'area+easy'" in known_wins.rule.text
    document = tune_document(tuning, known_wins.notes, "x")
    assert document["winner"] == {
        "policy": "first-fit",
        "discipline": "area+easy",
        "file": None,
        "trial": None,
        "values": {},
        "slurm_conf": [],
    }
    assert "area+easy, the winner" in json.dumps(known_wins.plot().to_dict())
    said = [block.text for block in known_wins.page().blocks if isinstance(block, Text)]
    assert any(text.startswith("A built-in rule: area+easy.") for text in said)


def test_the_terminal_shows_no_file_of_a_built_in_winner_and_whole_names(known_wins, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    _show(known_wins)
    shown = capsys.readouterr().out
    assert "Use:" not in shown
    assert "…" not in shown.partition("───\n")[2]


def test_a_folder_with_a_built_in_winner_is_opened_again(known_wins, tmp_path):
    known_wins.save(tmp_path)
    assert not (tmp_path / FILE).exists()
    assert lm.open(tmp_path).answer == known_wins.answer


def test_a_queue_that_only_grows_on_the_held_out_weeks_is_said(known_wins):
    crowded = lm.tune(weekly_log(weeks=8, jobs_a_week=300), interval="30s", **SMALL)
    assert any("Overloaded there under fcfs+easy" in note for note in crowded.notes)
    assert not any("Overloaded" in note for note in known_wins.notes)


def test_json_says_what_is_claimed(log, folder, found, monkeypatch, capsys):
    from loadmaster.report.tune_document import tune_document

    made = json.loads(json.dumps(tune_document(found.tuning, found.notes, "x"), allow_nan=False))
    assert made["winner"]["file"] == FILE
    assert made["claimed"] == (made["gains"][0]["difference_high"] < 0)
    assert [row["trial"] for row in made["rows"]] == list(range(6))
