"""The example of a sweep runs as it stands."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_example_of_a_sweep_runs_and_leaves_its_pictures(tmp_path):
    script = ROOT / "examples" / "sweep_of_my_own.py"
    done = subprocess.run(
        [sys.executable, str(script)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
    )
    assert done.returncode == 0, done.stderr
    assert "@least_cores_left" in done.stdout
    assert "@area_first+easy" in done.stdout
    assert {path.name for path in tmp_path.iterdir()} == {"sweep.html", "sweep.png", "gantt.png", "run"}
