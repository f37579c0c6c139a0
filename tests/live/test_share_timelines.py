"""Who had what share of the CPU, and why that changed, read off the records of commands and of machines."""

import json
import sys
from pathlib import Path

import pytest
from guests_fake import FakeHosts
from share_fake import FakeBox, batch

from loadmaster.cli import main
from loadmaster.live.guests.config import GuestsConfig
from loadmaster.live.guests.run_guests import run_guests
from loadmaster.live.session.clocks import FakeClock
from loadmaster.live.session.lines import begin_line, end_line
from loadmaster.live.share_timelines import share_timeline_of
from loadmaster.live.shares.config import SharesConfig
from loadmaster.live.shares.method_names import share_method_named
from loadmaster.live.shares.run_under_shares import run_under_shares
from loadmaster.model import InputError


@pytest.fixture
def commands(tmp_path):
    """Two commands on one core, the first of which ends after two seconds."""
    of, clock = batch([1.0, 1.0]), FakeClock()
    config = SharesConfig(tmp_path, share_method_named("fractional", 0.0), 0.0)
    run_under_shares(FakeBox(of, clock, [1.0, 2.0]), clock, of, config)
    return tmp_path


@pytest.fixture
def machines(tmp_path):
    """Three machines of one core on one host of two hosts of one core each; rebalance may move one."""
    hosts = FakeHosts(
        FakeClock(), {"a": (1.0, 4.0), "b": (1.0, 4.0)}, {"x@1": (1, 1, "a"), "y@2": (1, 1, "a"), "z@3": (1, 1, "a")}
    )
    config = GuestsConfig(mover="rebalance", most=1.0, every_s=5.0, interval_s=1.0, for_s=30.0)
    run_guests(hosts, hosts.clock, config, tmp_path)
    return tmp_path


def verb(monkeypatch, capsys, *words):
    monkeypatch.setattr(sys, "argv", ["loadmaster", *map(str, words)])
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code, capsys.readouterr().err
    return capsys.readouterr().out


def test_what_ended_while_nobody_looked_is_told_with_its_time_and_what_was_lost_without(commands):
    path = commands / "shares.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    begun = next(at for at, line in enumerate(lines) if line.get("asked")) + 1
    first, again = lines[0], {**lines[0], "at_s": lines[0]["at_s"] + 60.0, "running": {}}
    again["over"] = [["1", "failed", 3, first["at_s"] + 2.5]]
    path.write_text("".join(json.dumps(line) + "\n" for line in [*lines[:begun], again]))
    timeline = share_timeline_of(commands)
    assert [(span.task, span.to_s) for span in timeline.spans if span.task == "1"] == [("1", 2.5)]
    told = {
        each.task: (each.at_s, each.what, each.why) for each in timeline.changes if each.what[:5] in ("ended", "lost")
    }
    assert told["1"] == (2.5, "ended failed (3)", "its command ended while loadmaster was not running")
    assert told["2"][1:] == (
        "lost",
        "it disappeared while loadmaster was not running, at an unknown time, and waits again",
    )
    assert all(span.to_s < 60.0 for span in timeline.spans)


def test_a_command_has_the_shares_that_were_asked_for_it_and_each_change_has_its_cause(commands):
    timeline = share_timeline_of(commands)
    spans = [(span.share, span.from_s, span.to_s) for span in timeline.spans if span.task == "2"]
    assert [share for share, _, _ in spans] == [0.5, 1.0]
    assert spans[0][2] == spans[1][1] == pytest.approx(2.0, abs=0.3)
    told = [(each.what, each.why) for each in timeline.changes if each.task == "2"]
    assert told[0][0] == "capped at 50.0 %"
    assert told[0][1] == "2 commands there request 2 of the 1 cores of m0, as 1, 2 came in"
    assert told[2] == ("capped at 100.0 % from 50.0 %", "it requests 1 of the 1 cores of m0, as 1 ended")
    assert timeline.over == {"1": "ok", "2": "ok"}


def test_a_machine_that_was_moved_is_told_why_with_the_least_share_before_and_after(machines):
    timeline = share_timeline_of(machines)
    moved = [each for each in timeline.changes if each.what.startswith("moved from a to b")]
    assert len(moved) == 1
    assert "3 machines request 3 of the 1 cores of a" in moved[0].why
    assert "the least share is 33.3 %, and 50.0 % with this move" in moved[0].why
    figures = timeline.figures(moved[0].task)
    assert (figures["host"], figures["moves"]) == ("b", 1)
    assert [span.host for span in timeline.spans if span.task == moved[0].task][-1] == "b"


def test_before_the_caps_are_set_a_host_gives_no_more_than_it_has(machines):
    timeline = share_timeline_of(machines)
    first = [span for span in timeline.spans if span.from_s == 0.0]
    assert [(span.host, span.share) for span in first] == [("a", pytest.approx(1 / 3))] * 3
    for at_s in {span.from_s for span in timeline.spans}:
        given = {"a": 0.0, "b": 0.0}
        for span in timeline.spans:
            given[span.host] += span.share if span.from_s <= at_s < span.to_s else 0.0
        assert max(given.values()) <= 1.0 + 1e-9


def test_a_refusal_is_told_with_the_words_of_the_engine(tmp_path):
    hosts = FakeHosts(FakeClock(), {"a": (1.0, 4.0)}, {"x": (1, 1, "a"), "y": (1, 1, "a")}, refuse={("Cap", "x")})
    run_guests(hosts, hosts.clock, GuestsConfig(interval_s=1.0, for_s=3.0), tmp_path)
    timeline = share_timeline_of(tmp_path)
    assert ("cap refused", "it would not") in [(each.what, each.why) for each in timeline.changes if each.task == "x"]
    assert sum(timeline.refused.values()) > 0


@pytest.mark.parametrize("kind", ["commands", "machines"])
def test_both_verbs_tell_of_both_records(request, monkeypatch, capsys, kind):
    folder = request.getfixturevalue(kind)
    name = "1" if kind == "commands" else "x"
    told = verb(monkeypatch, capsys, "explain", folder, name)
    assert "capped at" in told
    plain = json.loads(verb(monkeypatch, capsys, "explain", folder, name, "--json"))["shares"]
    assert plain["name"] == name
    assert plain["changes"]
    document = json.loads(verb(monkeypatch, capsys, "report", folder, "--json"))
    assert document["kind"] == "shares"
    assert len(document["shares"]["rows"]) == (2 if kind == "commands" else 3)
    page = Path(document["page"]).read_text()
    assert "What changed, and why" in page


def test_a_name_that_is_not_there_is_told_with_the_nearest(machines):
    timeline = share_timeline_of(machines)
    assert timeline.named("x") == "x@1"
    with pytest.raises(InputError, match="no such task"):
        timeline.named("w")


def test_a_record_that_somebody_changed_is_told_in_one_line(commands):
    path = commands / "shares.jsonl"
    path.write_text(path.read_text().replace('"over"', '"above"'))
    with pytest.raises(InputError, match="damaged"):
        share_timeline_of(commands)


def test_a_machine_that_went_between_two_starts_is_gone(tmp_path):
    hosts = {"a": [2.0, 8.0, True]}
    config, stays, goes = GuestsConfig().plain(), [1.0, 1.0, "a", "", 1.0, False], [1.0, 1.0, "a", "", 1.0, False]
    lines = [
        begin_line(0.0, terms=config, carried={}),
        {"cycle": 1.0, "changes": {"hosts": hosts, "set": {"x@1": stays, "y@2": goes}}, "asked": []},
        begin_line(10.0, terms=config, carried={}),
        {"cycle": 11.0, "changes": {"hosts": hosts, "set": {"x@1": stays}}, "asked": []},
        end_line("done", 20.0),
    ]
    (tmp_path / "guests.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    timeline = share_timeline_of(tmp_path)
    assert timeline.over == {"y@2": "gone"}
    assert [(span.task, span.from_s, span.to_s) for span in timeline.spans] == [("x@1", 1.0, 20.0), ("y@2", 1.0, 11.0)]
