"""Changed code never answers with an old number: a sweep of an installed copy whose source is then edited."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import loadmaster

SOURCE = Path(loadmaster.__file__).parent


@pytest.fixture
def installed(tmp_path):
    """A copy of the package, with the machine code that it has on disk."""
    return Path(shutil.copytree(SOURCE, tmp_path / "installed" / "loadmaster"))


def compare(installed, folder):
    """(rows, what stderr says) of the same comparison, as often as it is made."""
    command = "compare --limit 3000 --loads 4 --policies most-allocated,first-fit --json -o out"
    told = subprocess.run(
        [sys.executable, "-m", "loadmaster", *command.split()],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(installed.parent)},
        timeout=300,
    )
    assert told.returncode == 0, told.stderr
    return json.loads(told.stdout)["rows"], told.stderr


def test_a_changed_formula_of_a_built_in_policy_is_run_and_a_changed_page_is_not(installed, tmp_path):
    before, _ = compare(installed, tmp_path)
    page = installed / "report" / "terminal.py"
    page.write_text(page.read_text() + "\n# another line\n")
    same, told = compare(installed, tmp_path)
    assert "2 of 2 runs were kept from before" in told
    assert same == before
    formula = installed / "place" / "most_allocated.py"
    formula.write_text(formula.read_text().replace("return -float", "return float"))
    after, told = compare(installed, tmp_path)
    assert "kept from before" not in told
    assert after[0]["mean_wait_s"] != before[0]["mean_wait_s"]
    assert after[1]["mean_wait_s"] == before[1]["mean_wait_s"]
