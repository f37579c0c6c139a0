"""The example of an agent that learns runs as it stands, for a few rounds, and its rule goes everywhere."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
LOG = "job_id,submit_s,runtime_s,cores\n" + "\n".join(
    f"{n},{n * 7 % 900 + n * 1500},{(n * 7919) % 9000 + 1},{n % 4 + 1}" for n in range(1600)
)


def run(*arguments, cwd):
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_agent_learns_and_its_order_is_compared_explained_and_run_live(tmp_path):
    (tmp_path / "log.csv").write_text(LOG)
    printed = run(str(ROOT / "examples" / "learned_order.py"), "log.csv", "1x8c", "2", cwd=tmp_path)
    assert "32 episodes in" in printed
    assert "learned_rule.py:rank+easy" in printed
    assert "Job " in printed.splitlines()[-1]
    live = ["-m", "loadmaster", "live", "fake", "log.csv", "--hosts", "1x8c", "--limit", "20", "-o", "live"]
    assert "20" in run(*live, "--discipline", "learned_rule.py:rank+easy", cwd=tmp_path)
