"""`when`: the start of a waiting job of a listing, with its date, its interval, and what would bring it nearer."""

import sys
from dataclasses import replace

import numpy as np
import pytest
from past_log import past_log
from queue_listing import AT, hosts, job, listing

import loadmaster as lm
from loadmaster.cli import main
from loadmaster.model import InputError
from loadmaster.traces import Trace

WEEK_S = 7 * 86400


def three_hosts_full(tmp_path, *waiting):
    """Three hosts of 8 cores: jobs of three, four and five hours have run on them since second 600."""
    running = [job(k, "RUNNING", 0, 600, minutes=60 * (k + 2), nodes=f"n{k}") for k in (1, 2, 3)]
    return listing(tmp_path, *running, *waiting)


def past(weeks=2, **more):
    """A log that ends when the queue was listed."""
    return Trace(replace(past_log(weeks=weeks, **more), epoch_s=AT - weeks * WEEK_S))


def test_without_a_log_a_job_starts_when_the_first_limit_is_over(tmp_path):
    """The job of three hours has run since 600 and ends at 11,400: 10,800 s later. The queue was listed at 601."""
    queue = three_hosts_full(tmp_path, job(7, "PENDING", 100))
    made = lm.when(queue, 7, hosts=hosts(tmp_path))
    forecast = made.found.forecast
    assert forecast.median_s + 601.0 - 600.0 == 10_800.0
    assert forecast.low_s == forecast.high_s == forecast.median_s
    assert made.found.listed_s == AT + 601
    assert made.rows[0]["median_start"] == "2023-11-15 01:23"
    assert "at the latest, unless later jobs overtake it" in made.answer
    assert not made.never
    assert any("upper bound" in note for note in made.notes)


def test_a_job_behind_another_waits_for_the_second_end(tmp_path):
    queue = three_hosts_full(tmp_path, job(7, "PENDING", 100, minutes=600), job(8, "PENDING", 200))
    assert lm.when(queue, "8", hosts=hosts(tmp_path)).found.forecast.median_s == 600 + 4 * 3600 - 601


def test_a_queue_in_which_no_job_runs_starts_at_once(tmp_path):
    queue = listing(tmp_path, job(7, "PENDING", 100))
    assert lm.when(queue, 7, hosts=hosts(tmp_path)).found.forecast.median_s == 0.0


def test_a_smaller_request_starts_sooner_in_the_same_samples(tmp_path):
    """Two jobs leave 4 cores each on n1 and n2; the waiting one requests all 8 of a host."""
    running = [job(k, "RUNNING", 0, 600, minutes=600, nodes=f"n{k}", cpus=4 if k < 3 else 8) for k in (1, 2, 3)]
    queue = listing(tmp_path, *running, job(7, "PENDING", 100))
    made = lm.when(queue, 7, hosts=hosts(tmp_path))
    changes = {each.words: each for each in made.found.changes}
    half = changes["half the cores (4 of 8)"]
    assert half.forecast.median_s == 0.0
    assert half.gain_s == made.found.forecast.median_s == 36_000 - 1
    assert half.sooner == 1.0
    assert changes["half the limit (30 min of 1 h)"].gain_s == 0.0


def test_a_shorter_limit_lets_a_job_start_before_the_head_of_the_queue(tmp_path):
    """Head 7 waits for all three hosts until five hours are over; on n1 a job of two hours ends before that."""
    running = [job(1, "RUNNING", 0, 600, minutes=300, nodes="n1"), job(2, "RUNNING", 0, 600, minutes=300, nodes="n2")]
    waiting = [job(7, "PENDING", 100, cpus=24, count=3), job(8, "PENDING", 200, minutes=400)]
    made = lm.when(listing(tmp_path, *running, *waiting), 8, hosts=hosts(tmp_path))
    half = next(each for each in made.found.changes if each.words.startswith("half the limit"))
    assert made.found.forecast.median_s > 0
    assert half.forecast.median_s == 0.0


def test_with_a_log_there_is_an_interval_a_chance_and_a_count_of_past_jobs(tmp_path):
    queue = three_hosts_full(tmp_path, job(7, "PENDING", 100))
    log = past(weeks=2, every_s=700.0, cores=(1, 2, 4, 8))
    made = lm.when(queue, 7, hosts=hosts(tmp_path), log=log, samples=39, past_jobs=30)
    found = made.found
    assert 0.0 <= found.forecast.low_s < found.forecast.median_s < found.forecast.high_s
    assert found.forecast.median_s < 10_799.0
    assert found.coverage.jobs >= 15
    assert f"Of {found.coverage.jobs} past jobs, {found.coverage.inside} (" in " ".join(made.notes)
    chances = [each["chance"] for each in made.rows[0]["within"]]
    assert chances == sorted(chances)
    assert made.frame.height == 1 + len(found.changes)
    again = lm.when(queue, 7, hosts=hosts(tmp_path), log=log, samples=39, past_jobs=0)
    assert again.found.forecast.wait_s.tolist() == found.forecast.wait_s.tolist()
    assert again.found.coverage is None


def test_a_log_without_dates_or_limits_is_used_and_says_so(tmp_path):
    log = past(weeks=1, every_s=900.0)
    bare = replace(log, workload=replace(log.workload, epoch_s=None, estimate_s=None))
    queue = three_hosts_full(tmp_path, job(7, "PENDING", 100))
    made = lm.when(queue, 7, hosts=hosts(tmp_path), log=bare, samples=19, past_jobs=0)
    assert any("no dates" in note for note in made.notes)
    assert any("has no limits" in note for note in made.notes)
    assert made.found.forecast.high_s <= 10_799.0


def test_a_job_of_the_listing_that_the_log_has_too_is_taken_once(tmp_path):
    """The log has the three running jobs with a runtime so far of some seconds."""
    log = past(weeks=1, every_s=900.0)
    numbers = np.arange(1000, 1000 + log.workload.jobs)
    numbers[-3:] = (1, 2, 3)
    log = replace(log, workload=replace(log.workload, job_id=numbers))
    queue = three_hosts_full(tmp_path, job(7, "PENDING", 100))
    made = lm.when(queue, 7, hosts=hosts(tmp_path), log=log, samples=19, past_jobs=0)
    without = replace(log, workload=log.workload.take(numbers > 3))
    other = lm.when(queue, 7, hosts=hosts(tmp_path), log=without, samples=19, past_jobs=0)
    assert made.found.forecast.wait_s.tolist() == other.found.forecast.wait_s.tolist()


def test_a_log_of_some_hours_is_refused(tmp_path):
    queue = three_hosts_full(tmp_path, job(7, "PENDING", 100))
    short = Trace(past_log(weeks=0.1))
    with pytest.raises(InputError, match=r"holds no whole day.*leave out --log"):
        lm.when(queue, 7, hosts=hosts(tmp_path), log=short)


def test_a_job_before_the_listing_is_told_from_a_missing_file(tmp_path):
    (tmp_path / "queue.json").write_text("{}")
    with pytest.raises(lm.InputError, match=r"'4711': no such file; the listing comes before the job: .*json 4711"):
        lm.when("4711", tmp_path / "queue.json")


def test_options_of_the_samples_without_a_log_are_refused(tmp_path):
    queue = three_hosts_full(tmp_path, job(7, "PENDING", 100))
    with pytest.raises(InputError, match=r"--samples.*give a log with --log"):
        lm.when(queue, 7, hosts=hosts(tmp_path), samples=50)


def called(monkeypatch, capsys, *words):
    monkeypatch.setattr(sys, "argv", ["loadmaster", "when", *map(str, words)])
    with pytest.raises(SystemExit) as ended:
        main()
    shown = capsys.readouterr()
    return ended.value.code, shown.out, shown.err


def test_exit_codes_are_0_for_a_start_1_for_never_and_2_for_a_refusal(tmp_path, monkeypatch, capsys):
    lines = job(7, "PENDING", 100), job(8, "PENDING", 200) | {"hold": True, "state_reason": "JobHeldUser"}
    queue = three_hosts_full(tmp_path, *lines)
    machines = hosts(tmp_path)
    assert called(monkeypatch, capsys, queue, 7, "--hosts", machines)[0] in (0, None)
    code, out, _ = called(monkeypatch, capsys, queue, 8, "--hosts", machines)
    assert (code, "can never start here: held" in " ".join(out.split())) == (1, True)
    code, out, err = called(monkeypatch, capsys, queue, 5, "--hosts", machines)
    assert (code, out, err.count("\n")) == (2, "", 1)


def test_another_partition_of_the_site_is_tried(tmp_path):
    machines = tmp_path / "hosts.csv"
    machines.write_text("name,cores,memory,partitions\nn1,8,16GiB,main\nn2,8,16GiB,main\nn3,8,16GiB,spare\n")
    running = [job(k, "RUNNING", 0, 600, minutes=600, nodes=f"n{k}") for k in (1, 2)]
    queue = listing(tmp_path, *running, job(7, "PENDING", 100))
    made = lm.when(queue, 7, hosts=machines)
    spare = next(each for each in made.found.changes if each.words == "partition spare")
    assert spare.forecast.median_s == 0.0
    assert spare.gain_s == made.found.forecast.median_s > 0
    assert not any(each.words == "partition main" for each in made.found.changes)


def test_another_partition_that_allows_less_time_is_tried_with_its_longest_limit(tmp_path):
    site = tmp_path / "slurm.conf"
    site.write_text(
        "ClusterName=x\nSelectType=select/cons_tres\nSelectTypeParameters=CR_Core\n"
        "NodeName=n[1-3] CPUs=8 RealMemory=16000\n"
        "PartitionName=main Nodes=n[1-2] Default=YES\nPartitionName=short Nodes=n3 MaxTime=30\n"
    )
    running = [job(k, "RUNNING", 0, 600, minutes=600, nodes=f"n{k}") for k in (1, 2)]
    made = lm.when(listing(tmp_path, *running, job(7, "PENDING", 100)), 7, site=site, policy="first-fit")
    short = next(each for each in made.found.changes if each.words.startswith("partition short"))
    assert (short.words, short.forecast.median_s) == ("partition short, limit 30 min", 0.0)
