"""A verb that is killed in the middle of its writes loses nothing; `tools/kill.py` tries many more moments."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))

import kill


@pytest.mark.parametrize(
    "case",
    [
        kill.Case("compare", 6, 0.0),
        kill.Case("simulate", 7, 0.0),
        kill.Case("fit", 30, 0.0),
        kill.Case("samples", 20, 0.0),
    ],
    ids=lambda case: case.verb,
)
def test_a_verb_killed_while_it_writes_goes_on_from_all_that_was_kept(case, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    whole = kill.folder_for(case.verb)
    expected = kill.outcome(kill.run(whole, case.verb).stdout)
    assert kill.faults_of(case, expected) == (True, [])
