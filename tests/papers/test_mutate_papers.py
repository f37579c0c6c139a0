"""Two of the broken rules of `tools/mutate_papers`: a claim that no rule can change would let them pass."""

import sys
from pathlib import Path

import pytest

TOOLS = Path(__file__).parents[2] / "tools" / "mutate_papers"


@pytest.fixture(scope="module")
def tools():
    sys.path.insert(0, str(TOOLS))
    yield
    sys.path.remove(str(TOOLS))


@pytest.mark.parametrize(
    ("paper", "mutant", "by"),
    [
        ("silva2008", "never rents a second machine", "machines at most 12 %"),
        ("amir2000", "e-pvm places round robin", "Enhanced PVM does much better than PVM"),
    ],
)
def test_a_broken_rule_changes_what_the_claims_say(paper, mutant, by, tools):
    import importlib

    from flips import flipped, verdicts

    module = importlib.import_module(f"broken_{paper}")
    right = verdicts(module.study())
    assert flipped(right, module.study) == []
    with module.MUTANTS[mutant]():
        changed = flipped(right, module.study)
    assert any(line.startswith(by) for line in changed)


def test_every_paper_has_some_ten_broken_rules(tools):
    import importlib

    for paper in ("amir2000", "casanova2008", "delgado2011", "shai2014", "silva2008"):
        assert len(importlib.import_module(f"broken_{paper}").MUTANTS) >= 10
