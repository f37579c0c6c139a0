"""The program of the command server does what `python -m loadmaster` does."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from command_server import folder_of_program

SOURCE = str(Path(__file__).parents[2] / "src")


@pytest.mark.parametrize("words", [("policies", "--json"), ("info", "log.csv"), ("info", "no-such-log.csv"), ("-h",)])
def test_output_exit_code_and_files_are_those_of_a_process_of_its_own(words, tmp_path):
    (tmp_path / "log.csv").write_text("submit_s,runtime_s,cores\n0,20,1\n0,10,2\n")
    outcomes = []
    for program in ([folder_of_program() / "loadmaster"], [sys.executable, "-m", "loadmaster"]):
        done = subprocess.run(
            [*program, *words],
            cwd=tmp_path,
            env={**os.environ, "COLUMNS": "60", "PYTHONPATH": SOURCE},
            capture_output=True,
            text=True,
            check=False,
        )
        outcomes.append((done.returncode, done.stdout, done.stderr))
    assert outcomes[0] == outcomes[1]


def test_one_command_reads_what_another_writes(tmp_path):
    program = folder_of_program() / "loadmaster"
    command = f"{program} generate netbatch --jobs 50 --hosts 2 -o log.csv && cat log.csv | {program} info - | head -1"
    done = subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "50" in done.stdout
