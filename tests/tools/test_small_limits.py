"""With very small blocks, steps and lists the kernels still give the schedules of the plain engine."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(("discipline", "runs"), [("easy", 40), ("netbatch", 40), ("wfp3+easy", 20)])
def test_schedules_do_not_depend_on_the_limits_of_the_engine(discipline, runs):
    tool = [sys.executable, ROOT / "tools" / "small_limits.py", "0", str(runs), "--discipline", discipline]
    made = subprocess.run(tool, capture_output=True, text=True, check=False)
    assert made.stdout == f"{runs} runs, 0 differ\n", made.stderr
