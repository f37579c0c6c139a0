"""`--down` and `--site-reservations`: jobs that would overlap wait, and the answer says which."""

import json
import sys
from dataclasses import replace

import pytest
from past_log import past_log
from queue_listing import AT, hosts, job, listing

import loadmaster as lm
from loadmaster.cli import main
from loadmaster.model import InputError, Workload
from loadmaster.traces import Trace

FOUR_JOBS = Workload.of(
    submit_s=[0, 100, 200, 300],
    runtime_s=[3600] * 4,
    estimate_s=[3600] * 4,
    cores=[4] * 4,
    job_id=[11, 12, 13, 14],
)
RULE = {"policy": "first-fit", "discipline": "easy"}


def test_jobs_that_would_overlap_wait_until_hosts_open():
    """Two hosts; both close from 3000 for two hours. Jobs 11 and 12 cannot end before that, and no job starts."""
    made = lm.simulate(FOUR_JOBS, "2x4c", down="3000/2h:all", **RULE)
    assert made.record.schedule.start_s.tolist() == [10_200.0, 10_200.0, 13_800.0, 13_800.0]
    effect = made.effect
    assert effect.mean_wait_open_s == (0 + 0 + 3400 + 3400) / 4
    assert effect.mean_wait_s == pytest.approx((10_200 + 10_100 + 13_600 + 13_500) / 4)
    assert effect.delayed == 4
    assert [one.job for one in effect.most] == [11, 13, 12, 14]
    assert [one.delay_s for one in effect.most] == [10_200.0, 10_200.0, 10_100.0, 10_100.0]
    assert any(line.startswith("4 jobs start over 10 min later") for line in made.notes)


def test_a_job_that_ends_in_time_runs_before_hosts_close_and_on_hosts_that_stay_open():
    made = lm.simulate(FOUR_JOBS, "2x4c", down=["3650/2h:0"], **RULE)
    assert made.record.schedule.start_s.tolist() == [0.0, 100.0, 3700.0, 7300.0]
    assert made.record.schedule.host.tolist() == [0, 1, 1, 1]
    assert [one.job for one in made.effect.most] == [14]


def test_without_closures_nothing_is_compared():
    assert lm.simulate(FOUR_JOBS, "2x4c", **RULE).effect is None


def test_a_record_of_a_run_with_closures_is_made_again_to_the_bit(tmp_path):
    made = lm.simulate(FOUR_JOBS, "2x4c", down="3000/2h:all", out=tmp_path / "run", **RULE)
    assert lm.open(tmp_path / "run").again().same
    assert lm.open(tmp_path / "run").record.case.cluster.rules.calendar == made.record.case.cluster.rules.calendar


def test_a_comparison_has_the_open_hosts_beside_the_closed_ones():
    rows = lm.compare(FOUR_JOBS, "2x4c", policies="first-fit", disciplines="easy", down="3000/2h:all").frame.to_dicts()
    waits = {row["hosts"]: row["mean_wait_s"] for row in rows if row["kind"] == "candidate"}
    assert waits == {"closed hosts": pytest.approx(11_850.0), "open hosts": 1700.0}


def test_several_sets_of_machines_close_alike():
    rows = lm.compare(
        FOUR_JOBS, {"few": "2x4c", "many": "4x4c"}, policies="first-fit", disciplines="easy", down="3000/2h:all"
    ).frame.to_dicts()
    assert {row["hosts"]: row["mean_wait_s"] for row in rows} == {"few": pytest.approx(11_850.0), "many": 10_050.0}


def test_a_reservation_keeps_hosts_for_the_jobs_that_name_it(tmp_path):
    path = tmp_path / "reservations.txt"
    path.write_text(
        "ReservationName=course StartTime=1970-01-01T00:00:00 EndTime=1970-01-01T02:00:00 Nodes=0 Flags= Users=eve\n"
    )
    log = tmp_path / "log.csv"
    log.write_text("submit_s,runtime_s,cores,user,reservation\n0,3600,4,eve,course\n0,3600,4,bob,\n10,3600,4,bob,\n")
    with pytest.raises(InputError, match="no dates"):
        lm.simulate(log, "2x4c", site_reservations=path, **RULE)
    dated = Trace(replace(lm.read(log).workload, epoch_s=0.0))
    made = lm.simulate(dated, "2x4c", site_reservations=path, **RULE)
    assert made.record.schedule.host.tolist() == [0, 1, 1]
    assert made.record.schedule.start_s.tolist() == [0.0, 0.0, 3600.0]
    with pytest.raises(InputError, match=r"--site-reservations.*leave out --anonymise"):
        lm.simulate(dated, "2x4c", site_reservations=path, anonymise=True, **RULE)


def test_a_waiting_job_starts_after_the_closure_and_sooner_without_it(tmp_path):
    """The host is free at 11,400 of the listing's clock, and closes an hour after that for six hours."""
    queue = listing(tmp_path, job(1, "RUNNING", 0, 600, minutes=180, nodes="n1"), job(7, "PENDING", 100, minutes=120))
    machines = tmp_path / "one.csv"
    machines.write_text("name,cores,memory\nn1,8,16GiB\n")
    made = lm.when(queue, 7, hosts=machines, down=f"{11_400 + 3600}/6h:n1")
    assert made.found.forecast.median_s == 11_400 + 7 * 3600 - 601
    changes = {each.words: each for each in made.found.changes}
    assert changes["if no host closes"].forecast.median_s == 11_400 - 601
    assert changes["if no host closes"].gain_s == 7 * 3600
    assert changes["half the limit (1 h of 2 h)"].forecast.median_s == 11_400 - 601


def test_a_closure_means_the_same_moment_beside_a_log(tmp_path):
    """All hosts close from the listing on for a day: no sample starts before that, and past jobs know nothing of it."""
    queue = listing(tmp_path, *(job(k, "RUNNING", 0, 600, nodes=f"n{k}") for k in (1, 2, 3)), job(7, "PENDING", 100))
    log = Trace(replace(past_log(weeks=1, every_s=900.0), epoch_s=AT - 7 * 86400))
    more = {"hosts": hosts(tmp_path), "log": log, "samples": 19, "past_jobs": 12}
    made = lm.when(queue, 7, down="601/1d:all", **more)
    assert made.found.forecast.wait_s.min() >= 86_400.0
    assert made.found.changes[0].words == "if no host closes"
    assert made.found.changes[0].forecast.median_s < 3600.0
    assert made.found.coverage == lm.when(queue, 7, **more).found.coverage


def test_the_command_prints_the_effect_and_its_document_has_it(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    lm.convert(FOUR_JOBS, tmp_path / "log.csv")
    words = "simulate log.csv --hosts 2x4c --discipline easy --down 3000/2h:0 --down 3000/2h:1"
    for more in ((), ("--json",)):
        monkeypatch.setattr(sys, "argv", ["loadmaster", *words.split(), *more])
        with pytest.raises(SystemExit) as ended:
            main()
        assert ended.value.code in (0, None)
        shown = capsys.readouterr().out
        if more:
            assert json.loads(shown)["closures"]["delayed"] == 4
        else:
            assert "Closed hosts: the mean wait is" in shown
            assert "4 jobs start over 10 min later because hosts close." in shown
