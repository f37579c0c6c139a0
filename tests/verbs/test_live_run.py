"""`loadmaster.live.run`: every engine from Python, by the options of the command line."""

import inspect
import json

import pytest
from typer.main import get_command

import loadmaster as lm
from loadmaster.cli.live import live
from loadmaster.verbs.live import ENGINES
from loadmaster.verbs.live_result import Looked


@pytest.mark.parametrize("engine", sorted(ENGINES))
def test_python_and_the_command_line_take_the_same_options(engine):
    typed = {each.name for each in get_command(live).commands[engine].params} - {"help"}
    assert typed == set(inspect.signature(ENGINES[engine].options).parameters) | {"as_json"}


def test_a_run_on_a_cluster_in_memory_is_a_result_with_a_record(tmp_path):
    made = lm.live.run("fake", limit=12, policy="first-fit", out=tmp_path / "run")
    assert made.ended == "done"
    assert made.figures["starts"] == made.frame.height == 12
    assert "all 12 jobs began" in made.answer
    assert made.report(tmp_path / "page.html").stat().st_size > 0
    assert made.plot().to_dict()
    first = json.loads((tmp_path / "run" / "live.jsonl").read_text().splitlines()[0])
    assert first["command"].startswith("loadmaster.live.run('fake', limit=12, policy='first-fit', out=")
    assert lm.open(tmp_path / "run").frame.height == 12


def test_a_shadow_tells_what_jobs_waited(tmp_path):
    made = lm.live.run("fake", hosts="1x8c64g", limit=12, shadow=True, out=tmp_path)
    told = made.figures["so_far"]
    assert told["jobs"] > 0
    assert told["model_error"] == pytest.approx(told["model_wait_s"] / told["site_wait_s"] - 1)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        ({"engine": "slurmm"}, "did you mean slurm"),
        ({"engine": "fake", "shadow": True, "on_exit": "hold"}, "no action is sent to the engine"),
        ({"engine": "fake", "shadow": True, "dry_run": True}, "both send no action to the engine"),
        ({"engine": "fake", "interval": 0}, "needs a time between its cycles"),
        ({"engine": "slurm", "doctor": True, "watchdog": True}, "only one of these options can be given"),
        ({"engine": "fake", "policy": lambda demand, free, capacity: 0.0}, "holds rules by their names"),
        ({"engine": "kubernetes", "shadow": True, "preempt": True}, "evict no pod"),
        ({"engine": "kubernetes", "dry_run": True, "moves": 3}, "move nothing"),
    ],
)
def test_what_makes_no_sense_is_told_in_one_line(tmp_path, call, says):
    with pytest.raises(lm.InputError, match=says):
        lm.live.run(**{"out": tmp_path, **call})


def test_a_look_says_what_stands_in_the_way():
    from loadmaster.live.session.finding import Finding

    looked = Looked("doctor", (Finding("ok", "it answers"), Finding("bad", "you may not list pods")))
    assert not looked.good
    assert looked.answer == "you may not list pods"
    assert looked.frame.height == 2
    assert Looked("doctor", (Finding("ok", "it answers"),)).answer == "doctor: nothing stands in the way"


@pytest.mark.parametrize("stop", ["late", "interrupted"])
def test_a_last_reckoning_that_takes_too_long_costs_nothing_of_the_record(tmp_path, monkeypatch, stop):
    def reckoning(*_):
        raise KeyboardInterrupt

    if stop == "late":
        monkeypatch.setattr("loadmaster.verbs.live_drive.LAST_RECKONING_S", -1.0)
    else:
        monkeypatch.setattr("loadmaster.live.queue.shadow_waits.interim_waits_within", reckoning)
    made = lm.live.run("fake", hosts="1x8c64g", limit=12, shadow=True, out=tmp_path)
    assert "so_far" not in made.figures
    assert any(f"--so-far {tmp_path}" in note for note in made.notes)
    assert lm.open(tmp_path).figures
