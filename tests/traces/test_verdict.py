"""A log in one sentence."""

import json

import pytest
from typer.testing import CliRunner

from loadmaster.cli.app import app
from loadmaster.traces import ReadOptions, read_trace
from loadmaster.traces.summary import fit, summarise
from loadmaster.traces.verdict import verdict_of
from traces.logs import swf_line, write

GB_IN_KB = 2**20


def verdict(tmp_path, text, hosts=None, **options):
    read = read_trace(write(tmp_path, "my log.swf", text), ReadOptions(hosts=hosts, **options))
    fitted = None if read.cluster is None else fit(read.workload, read.cluster)
    return verdict_of(read, summarise(read.workload), fitted)


def lines(memory=-1, run=10):
    return "".join(swf_line(job=k, submit=10 * k, run=run, memory=memory, user=k % 3) for k in range(11))


def test_machines_that_are_not_known_are_said_so(tmp_path):
    sentence = verdict(tmp_path, lines())
    assert sentence.startswith("11 jobs of 3 users in 1.67 min (Standard Workload Format")
    assert "its memory is not in the log; its machines are not known." in sentence


@pytest.mark.parametrize(
    ("run", "said"),
    [
        (10, "requests 55 % of the cores of the 2 hosts given"),
        (100, "5.50 times the cores of the 2 hosts given"),
    ],
)
def test_how_busy_the_machines_are_is_said(tmp_path, run, said):
    found = verdict(tmp_path, lines(memory=GB_IN_KB, run=run), hosts="2x1c64g")
    assert said in found
    assert "its memory is believable (the median task requests 1 GiB)" in found


def test_whose_load_it_is_is_said(tmp_path):
    header = "; MaxNodes: 4\n; MaxProcs: 8\n"
    assert "of the cores of the 4 hosts that the log names." in verdict(tmp_path, header + lines())
    assert "of the cores of the 1 host given." in verdict(tmp_path, header + lines(), hosts="20c64g")
    write(tmp_path, "my log.hosts.csv", "count,cores\n2,4\n")
    assert "of the cores of the 2 hosts beside it." in verdict(tmp_path, lines())


def test_a_load_of_a_part_of_the_jobs_is_not_told_as_that_of_all(tmp_path):
    wide = "".join(swf_line(job=k, submit=110, run=99, used=9, asked=9) for k in range(11, 41))
    found = verdict(tmp_path, lines() + wide, hosts="2x1c")
    assert found.startswith("41 jobs")
    assert ", fit no machine, and the 11 jobs that fit request 55 % of the cores of the 2 hosts given." in found


def test_memory_that_cannot_be_true_comes_first(tmp_path):
    found = verdict(tmp_path, lines(memory=4096 * GB_IN_KB), hosts="2x1c64g")
    assert "its memory cannot be true as it was read" in found


def test_memory_that_no_host_has_is_in_doubt(tmp_path):
    large = verdict(tmp_path, lines(memory=4 * GB_IN_KB), hosts="2x1c2g")
    assert "its memory is in doubt (the median task requests 4 GiB, see the note)" in large
    assert "none of its jobs fits the 2 hosts given." in large


def test_info_shows_it_and_the_options_go_along(tmp_path):
    path = str(write(tmp_path, "log.swf", lines()))
    shown = CliRunner().invoke(app, ["info", path, "--hosts", "2x1c", "--limit", "9", "--strict"])
    flat = " ".join(shown.stdout.split())
    assert "9 jobs of 3 users" in flat
    assert "Next: loadmaster simulate" in flat
    document = json.loads(CliRunner().invoke(app, ["info", path, "--hosts", "2x1c", "--json"]).stdout)
    assert document["next"] == f"loadmaster simulate {path} --hosts 2x1c --policy first-fit --discipline easy"
    assert document["sentence"].startswith("11 jobs")


def test_a_log_of_which_no_job_fits_has_no_load(tmp_path):
    path = str(write(tmp_path, "log.swf", lines(memory=4 * GB_IN_KB)))
    flat = " ".join(CliRunner().invoke(app, ["info", path, "--hosts", "2x1c2g"]).stdout.split())
    assert "offered load none as no job fits" in flat
