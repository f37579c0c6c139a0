"""What random tests draw: the same in every tree, and something else under a seed that is requested."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
DRAWS = """
from hypothesis import given, strategies as st
import constants
drawn = []

@given(st.integers(0, 10**18))
def test_draws(number):
    drawn.append(number)

def test_shows():
    print("drawn", *drawn)
"""


@pytest.fixture
def drawn(tmp_path):
    """What a test draws in a folder of this name, under these options of pytest."""

    def run(folder, *options):
        home = tmp_path / folder
        home.mkdir(parents=True)
        (home / "constants.py").write_text("NUMBERS = [" + ", ".join(str(918_273_645 + n) for n in range(99)) + "]\n")
        (home / "test_draws.py").write_text(DRAWS)
        command = [sys.executable, "-m", "pytest", "-q", "-s", "-p", "conftest", "-p", "no:cacheprovider", *options]
        told = subprocess.run(
            [*command, "--rootdir", str(home), "-c", os.devnull, str(home)],
            cwd=home,
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), *sys.path])},
        )
        return next(line for line in told.stdout.splitlines() if "drawn" in line)

    return run


def test_examples_are_the_same_whatever_the_folder_of_the_tree_is_called(drawn):
    assert drawn("tests/one") == drawn("another/place")


def test_a_seed_that_is_asked_for_draws_others(drawn):
    assert drawn("fixed") != drawn("seven", "--hypothesis-seed=7") != drawn("eight", "--hypothesis-seed=8")
