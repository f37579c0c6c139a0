"""The command that `info` advises can be typed, leaves little work out, and its rows differ."""

import random
import shlex

import numpy as np
import pytest
from typer.testing import CliRunner

import loadmaster
from loadmaster.cli.app import app
from loadmaster.model import Workload
from loadmaster.traces import ReadOptions, read_trace
from loadmaster.verbs import next_command as advice
from loadmaster.verbs.info import InfoOptions
from traces.logs import swf_line, write

GB_IN_KB = 2**20


def parallel_log(folder, *, jobs=300, processors=4, memory=-1, wide=0):
    """Jobs of 1 to `processors` processors that request about 90 % of 8; the last `wide` of 8 run for a day each."""
    draw = random.Random(7)
    lines, submit = "", 0
    for job in range(jobs):
        submit += draw.randrange(1, 90)
        most = 8 if job >= jobs - wide else draw.randint(1, processors)
        run = 86_400 if job >= jobs - wide else draw.choice((20, 60, 300))
        lines += swf_line(job=job, submit=submit, run=run, used=most, asked=most, memory=memory, user=job % 3)
    return str(write(folder, "log.swf", lines))


def next_of(path, **options):
    return loadmaster.info(path, **options).next


def mean_waits(command):
    """Type the command, which must be a comparison, and read its rows."""
    program, verb, *words = shlex.split(command)
    assert (program, verb) == ("loadmaster", "compare")
    path, flags = words[0], words[1:]
    names = [flag.removeprefix("--").replace("-", "_") for flag in flags[::2]]
    options = dict(zip(names, flags[1::2], strict=True))
    if "limit" in options:
        options["limit"] = int(options["limit"])
    return [outcome.metrics.mean_wait_s for outcome in loadmaster.compare(path, **options).comparison.outcomes]


def test_on_hosts_of_one_core_orders_are_compared_and_not_placement_policies(tmp_path):
    command = next_of(parallel_log(tmp_path), hosts="8x1c", spread="any")
    assert "--policies first-fit --disciplines easy,conservative,sjf+easy,wfp3+easy" in command
    assert len(set(mean_waits(command))) > 1


def test_disciplines_are_compared_first_and_no_meta_rule_or_netbatch_walk(tmp_path):
    command = next_of(parallel_log(tmp_path), hosts="1x4c,2x2c")
    assert "--policies first-fit --disciplines easy,conservative,sjf+easy,wfp3+easy" in command
    assert "max-jobs" not in command
    assert "netbatch" not in command
    waits = mean_waits(command)
    assert max(waits) - min(waits) > 1.0


def test_with_a_slurm_conf_the_sites_own_queue_is_a_row(tmp_path):
    conf = tmp_path / "slurm.conf"
    conf.write_text("NodeName=n[1-2] CPUs=4 State=UNKNOWN\nPartitionName=main Nodes=n[1-2] Default=YES State=UP\n")
    command = next_of(parallel_log(tmp_path), hosts=conf)
    assert f"--site {conf}" in command
    assert "--hosts" not in command
    assert len(mean_waits(command)) == 5


def test_tasks_are_spread_where_that_keeps_the_work_of_few_wide_jobs(tmp_path):
    path = parallel_log(tmp_path, wide=3)
    told = loadmaster.info(path, hosts="2x4c")
    assert told.rejected.total == 3, "1 % of the jobs"
    assert "--spread any" in told.next
    assert len(set(mean_waits(told.next))) > 1


def test_memory_in_doubt_is_not_read_otherwise_where_spreading_helps(tmp_path):
    path = parallel_log(tmp_path, memory=3 * GB_IN_KB)
    told = loadmaster.info(path, hosts="4x4c8g")
    assert any("say --swf-memory job-total" in note for note in told.read.notes)
    assert "--spread any" in told.next
    assert "--swf-memory" not in told.next


def test_memory_that_cannot_be_true_is_read_by_the_unit_that_fits(tmp_path):
    command = next_of(parallel_log(tmp_path, memory=4096 * GB_IN_KB), hosts="2x4c64g")
    assert "--memory-unit B" in command
    assert len(set(mean_waits(command))) > 1


def test_where_no_reading_keeps_the_work_larger_hosts_are_named_that_do(tmp_path):
    path = parallel_log(tmp_path, memory=4 * GB_IN_KB)
    command = next_of(path, hosts="2x1c2g")
    words = shlex.split(command)
    hosts = words[words.index("--hosts") + 1]
    assert loadmaster.info(path, hosts=hosts).rejected.total == 0


def test_without_machines_hosts_are_named_that_hold_every_job(tmp_path):
    path = parallel_log(tmp_path, processors=5)
    words = shlex.split(next_of(path))
    hosts = words[words.index("--hosts") + 1]
    assert hosts.endswith("x8c")
    assert loadmaster.info(path, hosts=hosts).rejected.total == 0


def test_a_full_system_is_compared_below_the_load_at_which_the_queue_only_grows(tmp_path):
    assert "--loads 0.9" in next_of(parallel_log(tmp_path), hosts="1x4c")


def test_a_log_in_which_nothing_can_differ_is_run_once(tmp_path):
    path = str(write(tmp_path, "log.swf", "".join(swf_line(job=k, submit=10 * k, run=10) for k in range(11))))
    command = next_of(path, hosts="2x1c")
    assert command == f"loadmaster simulate {path} --hosts 2x1c --policy first-fit --discipline easy"


def test_a_long_comparison_is_limited_to_the_jobs_that_end_in_time(tmp_path, monkeypatch):
    monkeypatch.setattr(advice, "LONGEST_S", 1e-9)
    monkeypatch.setattr(advice, "FIRST_JOBS", 200)
    monkeypatch.setattr(advice, "TRIAL_S", 0.0)
    command = next_of(parallel_log(tmp_path), hosts="8x1c", spread="any", limit=250)
    assert command.endswith("--limit 200")
    assert command.count("--limit") == 1


def test_the_advice_can_be_typed_as_it_stands(tmp_path):
    command = next_of(parallel_log(tmp_path), hosts="8x1c", spread="any")
    done = CliRunner().invoke(app, [*shlex.split(command)[1:], "-o", str(tmp_path / "report")])
    assert done.exit_code == 0, done.output


@pytest.mark.parametrize("meaning", ["per-processor", "job-total"])
def test_the_other_readings_of_memory_are_those_that_the_reader_makes(tmp_path, meaning):
    from loadmaster.runs.memory_reading import other_readings

    path = write(tmp_path, "log.swf", swf_line(job=1, submit=0, run=9, used=4, asked=4, memory=4 * GB_IN_KB))
    read = read_trace(path, ReadOptions(swf_memory=meaning))
    for other, workload in other_readings(read.workload, ReadOptions(swf_memory=meaning)):
        np.testing.assert_allclose(workload.demand, read_trace(path, other).workload.demand)


def test_hosts_are_sized_for_the_widest_job():
    wide = Workload.of(submit_s=[0, 100], runtime_s=[10, 10], cores=[2, 1], tasks=[5, 1])
    assert advice.hosts_for(wide).endswith("x16c")
    assert InfoOptions("log.swf", hosts="2x4c", limit=5).typed(without=["limit"]) == "--hosts 2x4c"
