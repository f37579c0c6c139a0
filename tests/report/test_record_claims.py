"""What is claimed on the record of a log, and what is not (rules H5 to H7)."""

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from rich.console import Console

from loadmaster.measure.recorded_metrics import Recorded
from loadmaster.report.answer import answer
from loadmaster.report.compare_document import comparison_document
from loadmaster.report.compare_page import compare_page
from loadmaster.report.page import write
from loadmaster.report.record_claims import (
    against,
    against_text,
    beside_row,
    heading,
    model_error,
    record_sentence,
    why_unexplained,
)
from loadmaster.report.summary import write_summary
from loadmaster.report.terminal import print_comparison
from loadmaster.runs import Setting
from report.comparisons import comparison, template


def beside(waits, site_s=None, recorded_s=100.0, **more):
    """Runs at the log's own load, what really happened, and the site's own rule where `site_s` is what it waits."""
    site = {} if site_s is None else {("first-fit", 0.9, "easy"): site_s}
    made = comparison({(policy, 0.9): wait for policy, wait in waits.items()} | site)
    own = Setting("first-fit", "site", site="easy")
    outcomes = [replace(o, setting=own) if o.setting.discipline == "easy" else o for o in made.outcomes]
    return replace(made, outcomes=outcomes, recorded=happened(recorded_s, **more), site_policy="first-fit")


def happened(mean_wait_s, unknown=0, over=0.0, with_room=0.4):
    """A record with such a mean."""
    case, run, _ = template()
    peak, above = {"cores": 1.5, "memory": 0.1}, {"cores": over, "memory": 0.0}
    values = run.values | {"mean_wait_s": mean_wait_s}
    return Recorded(case.workload.jobs, values, unknown, peak, above, with_room, np.zeros(0))


def shown(made, width=140):
    console = Console(width=width, record=True)
    print_comparison(console, made)
    return " ".join(console.export_text().split())


def test_a_gain_larger_than_the_model_s_error_is_claimed_with_the_error_beside_it():
    made = beside({"mix-fit": 40.0}, 70.0)
    found = against(made, made.outcomes[0])
    assert (found.change, found.error) == (pytest.approx(-0.6), pytest.approx(-0.3))
    assert found.gain_claimed
    assert "an error of 30 %. mix-fit under netbatch waits 40 s, 60 % less" in record_sentence(made)
    assert answer(made).startswith(
        "Recorded: jobs really waited 1.67 min on average, and this model does not reproduce the site (1.17 min): "
    )
    assert heading(made) == "on recorded (error 30 %)"
    assert "−60 %" in shown(made)


def test_a_gain_smaller_than_the_model_s_error_is_not():
    made = beside({"mix-fit": 80.0}, 70.0)
    assert not against(made, made.outcomes[0]).gain_claimed
    assert record_sentence(made).endswith("by more than that error, so no gain is claimed.")
    assert "within error" in shown(made)
    assert "−20 %" not in shown(made)


def test_what_really_happened_and_whether_the_model_reproduces_it_comes_first():
    head = "Recorded: jobs really waited 1.67 min on average"
    near = f"{head}; the model of the site's own rule says 1.33 min, 20 % off. "
    assert answer(beside({"mix-fit": 40.0}, 80.0)).startswith(near)
    alone = f"{head}; whether a model of the site reproduces that is not known. "
    assert answer(beside({"mix-fit": 40.0})).startswith(alone)


def test_a_loss_is_told_but_is_no_gain():
    made = beside({"mix-fit": 180.0}, 70.0)
    assert not against(made, made.outcomes[0]).gain_claimed
    assert record_sentence(made).endswith("No candidate waits less than recorded.")
    assert "+80 %" in shown(made)


def test_without_the_site_s_own_rule_no_gain_is_shown():
    made = beside({"mix-fit": 4.0, "first-fit": 5.0})
    assert (model_error(made), heading(made), against(made, made.outcomes[0])) == (None, "", None)
    assert "(--site)" in record_sentence(made)


def test_a_model_of_the_site_that_left_jobs_unstarted_is_named_as_the_reason():
    made = beside({"mix-fit": 40.0}, 70.0)
    site = made.outcomes[-1]
    left = replace(site, metrics=replace(site.metrics, unstarted=3))
    sentence = record_sentence(replace(made, outcomes=[*made.outcomes[:-1], left]))
    assert sentence.endswith("claimed: the model of the site's own rule never starts 3 jobs that really ran.")


@pytest.mark.parametrize(
    ("more", "because"),
    [
        (
            {"over": 0.06},
            "more cores than the hosts have were in use for 6.0 % of the time (at most 1.5 times as many)",
        ),
        ({"with_room": 0.81}, "81 % of the waiting passed while there was room for the job"),
        ({"unknown": 2}, "of 2 of 120 jobs it is not known when they started"),
        ({"recorded_s": 0.0}, "no job waited"),
    ],
)
def test_where_queueing_does_not_explain_the_record_nothing_is_claimed(more, because):
    made = beside({"mix-fit": 4.0}, 100.0, **more)
    assert because in why_unexplained(made)
    assert because in record_sentence(made)
    assert (heading(made), against(made, made.outcomes[0])) == ("", None)


@pytest.mark.parametrize("more", [{"over": 0.05}, {"with_room": 0.8}, {"unknown": 1}])
def test_at_the_limit_itself_a_gain_is_still_claimed(more):
    made = beside({"mix-fit": 4.0}, 100.0, **more)
    assert why_unexplained(made) == ""
    assert against(made, made.outcomes[0]).gain_claimed


def test_a_run_that_left_jobs_unstarted_or_has_other_arrivals_is_not_set_beside_the_record():
    made = beside({"mix-fit": 4.0}, 100.0)
    run = made.outcomes[0]
    assert against(made, replace(run, metrics=replace(run.metrics, unstarted=1))) is None
    assert against(made, replace(run, setting=replace(run.setting, beta=0.5))) is None


def test_the_record_stands_first_in_document_table_page_and_file(tmp_path):
    made = beside({"mix-fit": 40.0}, 70.0)
    document = json.loads(json.dumps(comparison_document(made)))
    kinds = ["recorded", "candidate", "site"]
    assert [row["kind"] for row in document["rows"]] == kinds
    assert (document["rows"][0]["mean_wait_s"], document["rows"][0]["cycles"]) == (100.0, None)
    assert (document["rows"][1]["model_error"], document["rows"][1]["gain_claimed"]) == (pytest.approx(-0.3), True)
    assert document["recorded"]["model_error"] == pytest.approx(-0.3)
    write_summary(tmp_path / "summary.parquet", made)
    assert pl.read_parquet(tmp_path / "summary.parquet")["kind"].to_list() == kinds
    write(tmp_path / "report.html", compare_page(made))
    page = (tmp_path / "report.html").read_text()
    assert page.index(">recorded</th>") < page.index(">mix-fit</th>")
    assert "on recorded (error 30" in page


def test_without_a_record_nothing_of_it_is_shown():
    made = comparison({("mix-fit", 0.9): 40.0, ("first-fit", 0.9): 50.0})
    assert (record_sentence(made), comparison_document(made)["recorded"]) == ("", None)
    assert "ecorded" not in shown(made)


def test_on_other_machines_the_site_s_own_queue_is_no_error_and_a_gain_is_told_with_its_machines():
    made = beside({"first-fit": 90.0, "mix-fit": 40.0}, 70.0)
    now, rule, site = made.outcomes
    runs = [(now, "now"), (replace(rule, setting=now.setting), "more"), (site, "now"), (site, "more")]
    sets = [replace(each, setting=replace(each.setting, hosts=hosts)) for each, hosts in runs]
    made = replace(made, outcomes=sets)
    assert [against_text(made, each) for each in sets] == ["within error", "−60 %", "error", "within error"]
    assert "netbatch on more waits 40 s, 60 % less" in record_sentence(made)
    assert [bool(beside_row(made, each)) for each in sets] == [True, True, False, True]
    never = replace(sets[2], metrics=replace(sets[2].metrics, unstarted=1))
    assert model_error(replace(made, outcomes=[*sets[:2], never, sets[3]])) is None
