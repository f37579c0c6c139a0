"""Options that would change nothing are refused in one line, or said."""

import json
import sys

import pytest

from loadmaster.cli import main

LOG = "submit_s,runtime_s,cores\n0,20,1\n5,10,1\n"
SWF = "1 0 -1 10 1 -1 -1 1 10 -1 1 1 1 -1 -1 -1 -1 -1\n2 5 -1 10 1 -1 -1 1 10 -1 1 1 1 -1 -1 -1 -1 -1\n"
TASKS = "name,cores,host\na,1,0\n"
CHANGE_NOTHING = [
    ("compare log.csv --hosts 1x1c --disciplines easy --lookahead 1", "--lookahead", "easy"),
    ("compare log.csv --hosts 1x1c --disciplines easy,fcfs --lookahead all", "--lookahead", "easy and fcfs"),
    ("compare log.csv --hosts 1x1c --disciplines conservative --reservations 3", "--reservations", "conservative"),
    ("compare log.csv --hosts 1x1c --shares 1,2", "--shares", "easy has no such number"),
    ("compare log.csv --hosts 1x1c --policies first-fit --max-jobs-target cores", "--max-jobs-target", "max-jobs"),
    ("compare --policies first-fit --max-jobs-members first-fit", "--max-jobs-members", "max-jobs"),
    ("compare log.csv --hosts 1x1c --disciplines netbatch --estimates exact", "--estimates", "netbatch does not look"),
    ("simulate log.csv --hosts 1x1c --discipline fcfs+skip --estimates 2", "--estimates", "fcfs+skip does not look"),
    ("share log.csv --hosts 1x1c --methods pvm --estimates exact", "--estimates", "the batch queue"),
    ("compare --format swf", "--format", "the demo"),
    ("compare --memory-unit KB", "--memory-unit", "the demo"),
    ("compare --columns cores=c", "--columns", "the demo"),
    ("compare --strict", "--strict", "the demo"),
    ("compare at_once.csv --hosts 1x1c --beta 0.5", "--beta 0.5", "arrive at once"),
    ("compare log.csv --hosts 1x1c --swf-memory job-total", "--swf-memory job-total", "format csv"),
    ("compare log.swf --hosts 1x1c --columns cores=c", "--columns cores", "format swf"),
    ("simulate log.csv --hosts 1x1c --discipline easy --lookahead 1", "--lookahead", "easy"),
    ("simulate log.csv --hosts 1x1c --max-jobs-target cores", "--max-jobs-target", "max-jobs"),
    ("simulate --swf-memory per-processor", "--swf-memory", "the demo"),
    ("simulate log.csv --again run", "TRACE", "the record says"),
    ("simulate --again run --policy first-fit", "--policy", "the record says"),
    ("simulate --again run --seed 0", "--seed", "the record says"),
    ("share log.csv --hosts 1x1c --methods fcfs --thrash 2", "--thrash", "time-shared methods"),
    ("share log.csv --hosts 1x1c --methods fractional --cpu-load jobs", "--cpu-load", "time-shared methods"),
    ("share log.csv --hosts 1x1c --methods pvm --pause 30s", "--pause", "methods that migrate"),
    ("share log.csv --hosts 1x1c --methods pvm,fcfs --bandwidth 1GB", "--bandwidth", "methods that migrate"),
    ("share log.csv --hosts 1x1c --methods pcfc-sg --needs told", "--needs", "fractional"),
    ("share log.csv --hosts 1x1c --methods pvm --repack events", "--repack", "fractional"),
    ("share log.csv --hosts 1x1c --methods pvm --least-yield 0.5", "--least-yield", "fractional"),
    ("share log.csv --hosts 1x1c --methods fractional --repack never --budget 1GB", "--budget", "repacks"),
    ("share log.csv --hosts 1x1c --methods fractional --repack events --period 5min", "--period", "by period"),
    ("share log.csv --hosts 1x1c --methods mosix --vms 1,2", "--vms", "choices of VMs"),
    ("share --format csv", "--format", "the demo"),
    ("pack tasks.csv --hosts 1x1c --time-limit 3", "--time-limit", "exact solvers"),
    ("size constant(9)x9 --column x", "--column", "a law"),
    ("run commands.txt --confidence 0.8", "--confidence", "only with --budget or --deadline"),
    ("info log.csv --spread any", "--spread", "no machines"),
    ("info log.csv --swf-memory job-total", "--swf-memory job-total", "format csv"),
    ("convert log.csv out.swf --swf-memory job-total", "--swf-memory job-total", "format csv"),
    ("reproduce amir2000 --traces .", "--traces", "no logs"),
    ("reproduce casanova2008 --trace log.csv", "--trace", "no logs"),
    ("reproduce silva2008 --trace log.csv", "--trace", "from --traces only"),
    ("reproduce delgado2011 --trace log.csv", "--trace", "from --traces only"),
    ("generate netbatch -o n.csv --jobs 9 --hosts 1 --scale 0.5", "--scale", "--jobs and --hosts"),
]


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    folder = tmp_path_factory.mktemp("idle")
    at_once = LOG.replace("\n5,", "\n0,")
    for name, text in (("log.csv", LOG), ("at_once.csv", at_once), ("log.swf", SWF), ("tasks.csv", TASKS)):
        (folder / name).write_text(text)
    (folder / "commands.txt").write_text("true\n")
    return folder


@pytest.fixture(autouse=True)
def _in_the_folder(here, monkeypatch):
    monkeypatch.chdir(here)


@pytest.mark.parametrize(("command", "option", "why"), CHANGE_NOTHING, ids=[row[0] for row in CHANGE_NOTHING])
def test_an_option_that_changes_nothing_is_refused_by_its_name(told, command, option, why):
    line = told(*command.split())
    assert option in line
    assert "nothing" in line
    assert why in line


TAKEN = [
    "compare log.csv --hosts 1x1c --policies first-fit --disciplines netbatch --lookahead 1 --reservations 0",
    "compare log.swf --hosts 1x1c1g --policies max-jobs --max-jobs-target cores --swf-memory job-total --memory-unit B",
    "share log.csv --hosts 1x1c --methods mosix --pause 1s --bandwidth 1GB --thrash 2",
    "share log.csv --hosts 1x1c --methods fractional --repack events --budget 1GB --period 5min --least-yield 0.1",
    "pack tasks.csv --hosts 1x1c --method local-search --time-limit 3",
]


@pytest.mark.parametrize("command", TAKEN)
def test_the_same_options_are_taken_where_they_do_something(monkeypatch, command):
    monkeypatch.setattr(sys, "argv", ["loadmaster", *command.split()])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 0


def test_an_option_that_does_nothing_under_some_of_the_runs_is_said(monkeypatch, capsys):
    command = "compare log.csv --hosts 1x1c --policies first-fit --disciplines netbatch,easy --lookahead 1 --json"
    monkeypatch.setattr(sys, "argv", ["loadmaster", *command.split()])
    with pytest.raises(SystemExit) as ended:
        main()
    out, err = capsys.readouterr()
    assert ended.value.code == 0
    assert "--lookahead changes nothing under easy." in err
    assert "--lookahead changes nothing under easy." in json.loads(out)["notes"]


@pytest.mark.parametrize("load", ["1e-300", "1e-320", "1e-18"])
def test_a_load_that_would_stretch_the_log_beyond_any_clock_is_refused(told, load):
    assert "a clock has milliseconds only up to" in told("simulate", "log.csv", "--hosts", "1x1c", "--load", load)


@pytest.mark.parametrize(
    ("option", "value", "fix"),
    [
        ("--load 1e300", "'1e+300': offered load", "a lower load"),
        ("--load 1e16", "'1e+16': offered load", "a lower load"),
        ("--beta 1e-300", "'1e-300': factor on the times between arrivals", "a larger factor"),
    ],
)
def test_a_load_that_would_press_the_log_into_one_moment_is_refused_in_the_words_of_who_asked(told, option, value, fix):
    message = told("simulate", "log.csv", "--hosts", "1x1c", *option.split())
    assert value in message
    assert message.rstrip().endswith(f"a clock has no steps shorter than a millisecond; {fix}")
