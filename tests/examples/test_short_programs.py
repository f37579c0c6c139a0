"""The short programs of `examples` run as they stand and say what they promise."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAMS = {
    "better_estimates": ("user      easy ", "last-two  easy(fill=shortest)", "exact "),
    "fewest_hosts": ("hosts", "p95"),
    "longest_wait": ("Job ", "easy: it waits", "area+easy: it waits"),
    "pack_to_the_proof": ("instance 0: optimum", "instance 3: ", "mcb8 0."),
    "rent_for_a_bag": ("within 2h: Rent ", "for 4 machine hours: Rent "),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_short_program_runs_and_prints_its_answer(name, tmp_path):
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / f"{name}.py")],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
    )
    assert done.returncode == 0, done.stderr
    for words in PROGRAMS[name]:
        assert words in done.stdout


def test_every_program_of_the_folder_has_a_test():
    programs = {path.stem for path in (ROOT / "examples").glob("*.py")}
    tested = {path.stem.removeprefix("test_") for path in Path(__file__).parent.glob("test_*.py")}
    assert programs == set(PROGRAMS) | (tested - {"short_programs"})
    assert len(programs) >= 8
