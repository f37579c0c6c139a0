import json

import pytest
from benches import compared, simulated

from loadmaster.workbench.kinds import KINDS, ResultSummary, kind_in, summary_in

LIVE = {
    "begin": 1,
    "engine": "slurm",
    "setting": {"policy": "mix-fit", "discipline": "easy"},
    "conduct": {"mode": "shadow"},
}
BAG = {"session": 1.0, "commands": ["a", "b"], "sizer": {"name": "planner"}}


def lines(path, *objects):
    path.write_text("".join(json.dumps(each) + "\n" for each in objects))


def said(folder):
    return summary_in(kind_in(path.name for path in folder.iterdir()), folder)


def test_a_record_says_its_rule_and_what_it_came_to(tmp_path):
    told = said(simulated(tmp_path, wait_s=7200.0))
    assert told == ResultSummary(
        "Under mix-fit a job waits 2 h on average.", "mix-fit, easy", "a log, 2 jobs, load 0.5"
    )


def test_a_comparison_names_some_of_its_policies(tmp_path):
    folder = compared(tmp_path, dict.fromkeys("abcde", 1.0))
    assert said(folder).policy == "a, b, c and 2 more"


def test_a_live_run_says_how_many_wait_or_how_it_ended(tmp_path):
    lines(tmp_path / "live.jsonl", LIVE, {"cycle": 1.0, "passes": [{"queued": 1234}]})
    assert said(tmp_path).answer == "A live run on slurm; 1,234 jobs wait."
    lines(tmp_path / "live.jsonl", LIVE, {"end": "stopped", "at_s": 1.0})
    assert said(tmp_path) == ResultSummary("A live run on slurm, ended: stopped.", "mix-fit, easy", "slurm, shadow")


def test_a_bag_says_how_many_commands_it_has(tmp_path):
    lines(tmp_path / "log.jsonl", BAG, {"event": "finished", "task": 1, "exit": 3})
    assert said(tmp_path).answer == "A bag of 2 commands, 1 of the last ones failed."


@pytest.mark.parametrize(
    "kind", [kind for kind in KINDS if kind.said.__name__ != "_nothing"], ids=lambda kind: kind.verb
)
@pytest.mark.parametrize("text", ["", "{}", "[]", "\0", '{"setting": 3, "rows": 4, "begin": 1, "commands": null}'])
def test_a_record_that_is_damaged_says_so(tmp_path, kind, text):
    (tmp_path / kind.file).write_text(text)
    assert said(tmp_path).answer.startswith("This record is damaged")
