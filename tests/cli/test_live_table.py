"""What a person sees while a live scheduler runs."""

from collections import Counter
from types import SimpleNamespace

import pytest

from loadmaster.cli.live_table import LiveTable
from loadmaster.live.queue.record import CycleDecision
from loadmaster.live.queue.settings import LiveSettings
from loadmaster.live.session.report import Report
from loadmaster.model.actions import Start
from loadmaster.model.snapshot import Alternative
from loadmaster.runs.interim_waits import InterimWaits

CLUSTER = {"names": ["a", "b"]}


def ledger(at_s, **states):
    jobs = {name: {"state": [state], "host": [host], "demand": [1.0]} for name, (state, host) in states.items()}
    listing = {"at_s": at_s, "cluster": CLUSTER, "jobs": jobs}
    return SimpleNamespace(listing=listing, runs={}, waiting=SimpleNamespace(rows=range(3)))


def decided(*starts, chosen=-1, options=()):
    named = tuple(Start(name, (host,)) for name, host in starts)
    return CycleDecision([SimpleNamespace(starts=named, chosen=chosen, options=options)])


def shown(table, at_s, ledger, report):
    columns = table.table(at_s, ledger, report).columns
    return dict(zip(*(column.cells for column in columns), strict=True))


@pytest.mark.parametrize("mode", ["shadow", "dry-run"])
def test_a_shadow_shows_how_far_the_site_agrees(mode):
    table, report = LiveTable("slurm", LiveSettings(mode=mode)), Report()
    table.show(0.0, ledger(0.0, x=(0, -1), y=(0, -1)), decided(("x", "a")), report)
    assert shown(table, 0.0, ledger(0.0), report)["agreement"] == "the site has started nothing yet"
    table.show(5.0, ledger(5.0, x=(2, 0), y=(2, 1)), CycleDecision(), report)
    agreed = shown(table, 5.0, ledger(5.0), report)["agreement"]
    assert agreed == "50 % of 2 starts of the site, 50 % on the same hosts"


@pytest.mark.parametrize("as_json", [False, True])
def test_what_must_be_said_is_said_at_once_on_stdout_unless_that_is_json(capsys, as_json):
    table, report = LiveTable("fake", LiveSettings(), as_json=as_json), Report()
    report.listener = table.say
    for _ in range(2):
        report.say("said once")
        report.tell("an outage, each time")
    told = capsys.readouterr()
    said, silent = (told.err, told.out) if as_json else (told.out, told.err)
    assert [line.partition(" ")[2] for line in said.splitlines()] == ["an outage, each time"] * 2
    assert report.notes == ["said once", "an outage, each time"]
    assert silent == ""


def test_who_may_start_no_more_says_so():
    table, report = LiveTable("fake", LiveSettings(max_starts=4)), Report(starts=4)
    assert shown(table, 0.0, ledger(0.0), report)["starts"].startswith("4, the limit of --max-starts")
    assert shown(table, 0.0, ledger(0.0), Report(starts=3))["starts"] == "3"


def test_a_meta_rule_shows_whom_it_followed():
    table, report = LiveTable("fake", LiveSettings()), Report()
    options = (Alternative("first-fit", 1, 1.0), Alternative("mix-fit", 2, 2.0))
    for number in range(3):
        table.show(number, ledger(number), decided(chosen=1 if number else 0, options=options), report)
    assert shown(table, 2.0, ledger(2.0), report)["followed"] == "mix-fit 2, first-fit 1"


def test_a_forecast_is_a_row_where_one_is_made():
    table = LiveTable("slurm", LiveSettings(), foretold=lambda: "17 starts in 2 min")
    assert shown(table, 30.0, ledger(30.0), Report())["forecast"] == "17 starts in 2 min"


def test_a_live_run_of_one_rule_shows_queue_starts_and_refusals_and_neither_of_both():
    table, report = LiveTable("fake", LiveSettings(), jobs=9), Report(cycles=2, starts=4, refusals=Counter(busy=1))
    table.show(30.0, ledger(30.0), decided(("x", "a")), report)
    rows = shown(table, 30.0, ledger(30.0), report)
    assert rows["cycle"] == "30 s, number 2"
    assert rows["queue"] == "3 may start now"
    assert rows["starts"] == "4 of 9 jobs"
    assert rows["refusals"] == "busy 1"
    assert rows["last"] == "30 s: x on a"
    assert not {"agreement", "followed", "forecast"} & rows.keys()


def test_a_shadow_shows_what_jobs_waited_so_far():
    table = LiveTable("slurm", LiveSettings(mode="shadow"))
    assert shown(table, 0.0, ledger(0.0), Report())["so far"] == "nothing yet"
    table.so_far = InterimWaits(60.0, 12, 3, 40.0, 30.0, 44.0)
    assert shown(table, 0.0, ledger(0.0), Report())["so far"] == (
        "mean wait of the site 40 s, ours 30 s (−25 %); the model's error +10 %; "
        "3 of 12 jobs still wait or run in one of the two queues"
    )
