"""The example of a rule of each other kind runs as it stands."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_example_of_other_rules_runs_each_of_them(tmp_path):
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / "rules_of_my_own.py")],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "24 tasks on 8 hosts by @round_robin" in done.stdout
    assert "pvm+@NeverMoves(period_s=9.0)" in done.stdout
    assert "WhoeverFits" in done.stdout or "easy" in done.stdout
    assert "Rent " in done.stdout
    assert done.stdout.count("done  ") == 3
