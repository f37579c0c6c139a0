"""`info` reads machines from the log, writes them as a file that can be used, and tells the window of a dump."""

import shlex

import numpy as np
import pytest

import loadmaster as lm
from loadmaster.model import InputError
from loadmaster.site.machines import read_machines
from traces.logs import write

HEAD = "JobID|User|Partition|Submit|Start|Elapsed|NNodes|ReqCPUS|ReqMem|NodeList|Timelimit\n"


def clock(minute):
    return f"2026-01-{5 + minute // 1440:02d}T{minute // 60 % 24:02d}:{minute % 60:02d}:00"


def dump(tmp_path, rows):
    """Rows of (submit, wait and elapsed in minutes, nodes, cores, hosts)."""
    lines = [
        f"{k}|ann|main|{clock(s)}|{clock(s + w)}|{e // 60:02d}:{e % 60:02d}:00|{n}|{c}|2Gn|{hosts}|10:00:00"
        for k, (s, w, e, n, c, hosts) in enumerate(rows)
    ]
    return str(write(tmp_path, "sacct.txt", HEAD + "\n".join(lines) + "\n"))


def busy(tmp_path, several=1):
    """160 jobs on two hosts, each of which runs two jobs of 4 cores at once; the last `several` take both hosts."""
    draw, rows, free = np.random.default_rng(3), [], np.zeros((2, 2))
    for k in range(160):
        submit, elapsed = 6 * k, int(draw.choice([2, 5, 60]))
        slot = int(np.argmin(free[k % 2]))
        start = max(submit, int(free[k % 2, slot]))
        free[k % 2, slot] = start + elapsed
        rows.append((submit, start - submit, elapsed, 1, 4, f"n0{k % 2 + 1}"))
    rows += [(6 * 160, int(free.max()) + k * 5, 5, 2, 4, "n[01-02]") for k in range(several)]
    return dump(tmp_path, rows)


@pytest.mark.parametrize("ending", [".yaml", ".csv", ".conf"])
def test_the_machines_that_are_written_are_those_that_are_read(tmp_path, ending):
    log, path = busy(tmp_path), tmp_path / f"hosts{ending}"
    told = lm.info(log, write_hosts=path)
    hosts = read_machines(path)
    assert sorted(hosts.names) == ["n01", "n02"]
    assert hosts.capacity[:, 0].tolist() == told.seen.guess[:, 0].tolist()
    assert hosts.capacity[:, 1].tolist() == told.seen.guess[:, 1].tolist()
    assert "Correct this file" in path.read_text() or ending == ".csv"
    assert lm.info(log, hosts=path).rejected.total == 0


@pytest.mark.parametrize(("named", "partitions"), [("main", ["main"]), ("fast", ["fast", "main"]), ("", ["main"])])
def test_a_site_is_written_also_where_the_log_names_no_host(tmp_path, named, partitions):
    rows = [
        f"{k}|ann|{named if k % 2 else named and 'main'}|{clock(k)}|{clock(k)}|00:02:00|1|4|2Gn|None|10:00:00"
        for k in range(160)
    ]
    log = write(tmp_path, "sacct.txt", HEAD + "\n".join(rows) + "\n")
    path = tmp_path / "slurm.conf"
    lm.info(str(log), write_hosts=path)
    written = [line for line in path.read_text().splitlines() if line.startswith("PartitionName=")]
    assert written == [f"PartitionName={each} Nodes=ALL State=UP" for each in partitions]
    compared = lm.compare(str(log), site=path, policies=["first-fit"], disciplines=["easy"])
    assert "site" in compared.frame["discipline"].to_list()


def test_the_next_command_runs_on_the_machines_of_the_log_and_its_rows_differ(tmp_path):
    log = busy(tmp_path)
    words = shlex.split(lm.info(log).next)
    assert words[:3] == ["loadmaster", "compare", log]
    options = dict(zip([each.removeprefix("--") for each in words[3::2]], words[4::2], strict=True))
    assert options["hosts"].startswith("2x")
    assert options["disciplines"].startswith("easy,")
    compared = lm.compare(log, **options).comparison
    waits = [outcome.metrics.mean_wait_s for outcome in compared.outcomes]
    assert max(waits) - min(waits) > 1.0
    assert compared.case.rejected.total == 0
    assert compared.case.spread == "any"


def test_a_written_file_stands_in_the_next_command(tmp_path):
    path = tmp_path / "hosts.yaml"
    assert f"--hosts {path}" in lm.info(busy(tmp_path), write_hosts=path).next


def test_a_log_without_hosts_has_as_many_as_its_use_needs(tmp_path):
    rows = "0,60,0,3\n0,60,0,3\n0,60,0,4\n"
    log = str(write(tmp_path, "log.csv", "submit_s,runtime_s,wait_s,cores\n" + rows))
    path = tmp_path / "hosts.yaml"
    lm.info(log, write_hosts=path)
    assert read_machines(path).capacity[:, 0].tolist() == [4.0] * 3
    with pytest.raises(InputError, match="no known ending for a file of hosts"):
        lm.info(log, write_hosts=tmp_path / "hosts.txt")
    silent = str(write(tmp_path, "silent.csv", "submit_s,runtime_s,cores\n0,60,3\n"))
    with pytest.raises(InputError, match="has no host names and no start times"):
        lm.info(silent, write_hosts=path)


def test_recorded_waits_and_dates_are_told_without_machines(tmp_path):
    told = lm.info(dump(tmp_path, [(0, 10, 5, 1, 1, "n1"), (5, 20, 5, 1, 1, "n1")]))
    assert told.waits.mean_wait_s == 900.0
    assert told.figures["first_submitted"] == "2026-01-05 00:00:00"
    assert told.figures["last_submitted"] == "2026-01-05 00:05:00"
    assert any(note.startswith("Recorded: the 2 jobs waited 15 min on average") for note in told.notes)


def windowed(tmp_path):
    """Two jobs of long before the window, of which one runs and one waits as it opens, and 40 jobs in it."""
    rows = [(0, 0, 1500, 1, 4, "n1"), (10, 1400, 60, 1, 4, "n1")]
    rows += [(1300 + k, 0, 5, 1, 1, "n2") for k in range(40)]
    return dump(tmp_path, rows)


def test_rates_are_those_of_the_window(tmp_path):
    told = lm.info(windowed(tmp_path), hosts="2x8c8g")
    window = told.window
    assert (window.opens_s, window.running, window.waiting) == (1305 * 60.0, 5, 1)
    assert told.summary.rate_per_h == pytest.approx(60.0, rel=0.1)
    assert told.fitted.load["cores"] > told.summary.work["cores"] / (16 * told.summary.span_s)


def test_a_comparison_begins_with_the_jobs_that_run_as_the_window_opens(tmp_path):
    log = windowed(tmp_path)
    compared = lm.compare(log, "2x8c8g", policies="first-fit", disciplines="easy,fcfs", check=True).comparison
    case = compared.case
    opens_s = case.window_s
    assert opens_s == case.workload.starting.now_s
    assert any(note.startswith("Runs begin as the window of the dump opens") for note in case.notes)
    assert not any(outcome.faults for outcome in compared.outcomes)
    assert all(outcome.metrics.little_error < 0.01 for outcome in compared.outcomes)
    run = lm.simulate(log, "2x8c8g", policy="first-fit", discipline="easy")
    start_s = run.record.schedule.start_s
    assert start_s[0] == 0.0, "it ran before"
    assert start_s[1] == opens_s, "it waited, and there is room"


def test_at_another_load_runs_begin_with_the_log(tmp_path):
    compared = lm.compare(windowed(tmp_path), "2x8c8g", policies="first-fit", disciplines="easy,fcfs", loads="0.5")
    assert compared.comparison.case.window_s is None


def test_names_in_brackets_are_read_back():
    from loadmaster.model.host_names import bracketed, host_names

    names = ["a1", "a2", "a3", "b01", "b02", "b10", "c", "r1n1", "r1n2", "r2n1"]
    assert list(host_names(bracketed(names))) == names
