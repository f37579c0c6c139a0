"""Every kind of result is saved, and opened as what it was."""

import json
import os
from pathlib import Path

import pytest
from past_log import past_log
from queue_listing import job, listing

import loadmaster as lm
from loadmaster.model import InputError
from loadmaster.papers.claim import Claim, Reproduction
from loadmaster.report.commands_chart import commands_chart
from loadmaster.report.page import Chart, Table
from loadmaster.traces import Trace
from loadmaster.verbs.reproduce import Reproduced
from loadmaster.verbs.run import Ran

LOG = lm.generate.netbatch(jobs=60, hosts=3, load=0.95, seed=1)
STATE = "name,cores,memory_gb,host\na,2,1,0\nb,2,1,0\nc,2,1,0\nd,1,1,1\n"
ROWS = [
    {"task": 1, "command": "a", "state": "done", "exit": 0, "attempts": 1, "seconds": 2.0, "machine": "m"},
    {"task": 2, "command": "b", "state": "not done", "exit": None, "attempts": 0, "seconds": None, "machine": ""},
]


def _compared():
    return lm.compare(LOG, policies=["first-fit", "mix-fit"], disciplines="easy", samples=5)


def _shared():
    return lm.share(LOG, methods="e-pvm")


def _packed():
    return lm.pack(lm.generate.virtual_clusters(hosts=4, tasks=10))


def _rebalanced():
    with open("state.csv", "w") as file:
        file.write(STATE)
    return lm.rebalance("state.csv", hosts="2x4c8g")


def _placed_by_cost():
    sizes = {"cpuPower": 4, "memory": 4, "networkBandwidth": 4}
    needs = {"requiredCpuPower": 4, "requiredMemory": 1, "requiredNetworkBandwidth": 1}
    computers = [{"id": k, "cost": 9 - k, **sizes} for k in range(2)]
    with open("cloud.json", "w") as file:
        json.dump({"computerList": computers, "processList": [{"id": 0, "computer": 0, **needs}]}, file)
    return lm.rebalance("cloud.json", time_limit=1.0)


def _sized():
    return lm.size("normal(150,30)x16", repetitions=3, deadline="2h")


def _simulated():
    return lm.simulate(LOG, policy="mix-fit", discipline="easy")


def _explained():
    return lm.explain(_simulated(), 7)


def _differing():
    return lm.diff(_simulated(), lm.simulate(LOG, policy="first-fit", discipline="fcfs"))


def _described():
    return lm.info(LOG)


def _fewest():
    return lm.fewest(LOG, "1..3x8c64g", p95="100h", policies="first-fit", disciplines="easy")


def _when():
    running = job(1, "RUNNING", 0, 600, minutes=90, nodes="n1")
    queue = listing(Path(), running, job(7, "PENDING", 100), job(8, "PENDING", 200, cpus=9))
    return lm.when(queue, 7, hosts="1x8c64g", log=Trace(past_log(weeks=1, every_s=4000)), samples=19, past_jobs=15)


def _ran():
    return Ran({"failed": [], "unpaid": [2], "folder": "bag.run"}, ("1 of 2 commands ended well", "a note"), ROWS)


def _reproduced():
    claims = [Claim("Table 1", "it is 3", "3", "3", "holds")]
    table = Table(("a",), [["1"]], best=frozenset({(0, 0)}), tones={(0, 0): "good"})
    return Reproduced("paper", Reproduction("paper", "A paper", claims, [Chart(commands_chart(ROWS)), table]), "p.html")


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    "make",
    [
        _compared,
        _shared,
        _packed,
        _rebalanced,
        _placed_by_cost,
        _sized,
        _simulated,
        _explained,
        _differing,
        _described,
        _fewest,
        _when,
        _ran,
        _reproduced,
    ],
    ids=lambda f: f.__name__,
)
def test_a_result_is_opened_as_what_it_was(make):
    made = make()
    found = lm.open(made.save("kept"))
    assert type(found) is type(made)
    assert (found.answer, found.notes) == (made.answer, made.notes)
    assert found.frame.equals(made.frame, null_equal=True)
    assert found.plot().to_dict() == made.plot().to_dict()
    assert len(repr(found)) < 200
    assert "\n" not in repr(found)
    assert "<table" in found._repr_html_()
    assert "</html>" in found.report("page.html").read_text()


def test_the_page_of_an_opened_comparison_is_that_of_the_first_one():
    made = _compared()
    pages = [each.report(name).read_text() for each, name in ((made, "a.html"), (lm.open(made.save("kept")), "b.html"))]
    assert pages[0] == pages[1]


def test_with_a_folder_given_a_verb_saves_by_itself():
    made = lm.compare(LOG, policies="first-fit", out="kept")
    assert lm.open("kept").frame.equals(made.frame)


def test_of_two_results_in_a_folder_the_later_is_opened():
    _sized().save("kept")
    os.utime("kept/result.json", (1, 1))
    _simulated().save("kept")
    assert lm.open("kept").verb == "simulate"


@pytest.mark.parametrize(
    ("name", "says"),
    [("log.jsonl", "has not ended"), ("results.sqlite", "has not ended"), ("other", "no result")],
)
def test_a_folder_without_a_whole_result_is_told_for_what_it_is(name, says, tmp_path):
    (tmp_path / name).write_text("")
    with pytest.raises(InputError, match=says):
        lm.open(tmp_path)


def test_a_folder_that_is_not_there_is_told():
    with pytest.raises(InputError, match="no such folder"):
        lm.open("nowhere")


def test_a_value_that_is_no_result_is_refused(tmp_path):
    from loadmaster.results.values import write_value

    write_value(tmp_path, "some", LOG.cluster)
    with pytest.raises(InputError, match="holds no result of a verb"):
        lm.open(tmp_path)
