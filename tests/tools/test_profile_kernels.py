"""The tool that names the kernels in which a command spends its time."""

import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

TOOL = Path(__file__).parents[2] / "tools" / "profile_kernels.py"


def test_mangled_names_are_read_as_module_and_function():
    spec = spec_from_file_location("profile_kernels", TOOL)
    tool = module_from_spec(spec)
    spec.loader.exec_module(tool)
    assert tool._readable("_ZN10loadmaster5place11room_kernel5renewB4v390B66c8tJ") == "place.room_kernel.renew"
    assert tool._readable("numba_gil_ensure") == "numba_gil_ensure"


def _may_use_perf():
    try:
        done = subprocess.run(["perf", "record", "-o", "/dev/null", "true"], capture_output=True, check=False)
    except FileNotFoundError:
        return False
    return done.returncode == 0


@pytest.mark.skipif(not _may_use_perf(), reason="perf is not there, or may not be used")
def test_a_run_spends_its_time_in_kernels_of_the_engine(tmp_path):
    command = [sys.executable, TOOL, "simulate", "--policy", "first-fit", "-o", "run"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "  sim.queue.engine." in done.stdout
