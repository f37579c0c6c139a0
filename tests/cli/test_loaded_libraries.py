"""Which libraries a command loads: those that it does not use take longer to load than the work itself."""

import os
import subprocess
import sys
from pathlib import Path

import loadmaster

HEAVY = ("altair", "numba", "polars", "pydantic", "scipy", "scipy.linalg", "sqlalchemy")
SOURCE = str(Path(loadmaster.__file__).parents[1])
PROGRAM = f"""
import atexit, sys
atexit.register(lambda: print([name for name in {HEAVY} if name in sys.modules], file=sys.stderr))
from loadmaster.cli import main
main()
"""


def loaded(folder, *command):
    """What is loaded in the end, of `HEAVY`."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *command],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": SOURCE},
    )
    return set(eval(done.stderr.splitlines()[-1]))


def test_the_list_of_rules_needs_none(tmp_path):
    assert loaded(tmp_path, "policies") == set()


def test_a_short_log_without_machines_is_summed_up_without_numba_charts_and_databases(tmp_path):
    loaded(tmp_path, "generate", "netbatch", "--jobs", "200", "-o", "log.swf")
    (tmp_path / "log.hosts.csv").unlink()  # with machines a comparison is tried
    assert loaded(tmp_path, "info", "log.swf") <= {"polars"}


def test_a_comparison_whose_runs_and_page_are_kept_loads_neither_engines_nor_charts_and_leaves_the_page(tmp_path):
    again = ("compare", "--limit", "300", "--policies", "first-fit,mix-fit", "-o", "out")
    fresh = loaded(tmp_path, *again)
    assert {"altair", "numba"} <= fresh
    assert "scipy.linalg" not in fresh, "Numba asks whether BLAS is there"
    assert "pydantic" not in fresh, "a plain number is converted by Typer"
    page = tmp_path / "out" / "report.html"
    first = page.read_bytes()
    assert loaded(tmp_path, *again) & {"altair", "numba", "sqlalchemy"} == set()
    assert page.read_bytes() == first
    page.write_bytes(first + b" ")
    assert "altair" in loaded(tmp_path, *again)
    assert page.read_bytes() == first
    loaded(tmp_path, "compare", "--limit", "300", "--policies", "first-fit", "-o", "out")
    assert page.read_bytes() != first


COLLECTIONS = """
import atexit, gc
atexit.register(lambda: print(gc.get_stats()[2]["collections"], gc.get_freeze_count() > 0))
from loadmaster.cli import main
main()
"""


def test_what_is_loaded_is_not_looked_through_for_garbage_neither_on_the_way_nor_at_the_end(tmp_path):
    loaded(tmp_path, "generate", "netbatch", "--jobs", "200", "-o", "log.swf")
    command = [sys.executable, "-c", COLLECTIONS, "info", "log.swf"]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, check=True, env={**os.environ, "PYTHONPATH": SOURCE}
    )
    assert done.stdout.splitlines()[-1] == "0 True"
