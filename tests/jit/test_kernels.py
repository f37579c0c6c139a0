"""Machine code on disk never outlives the source it was made from, and whatever is wrong there, a kernel still runs."""

import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from numba.core.caching import CacheImpl

import loadmaster
from loadmaster.jit import kernels

SOURCE = Path(loadmaster.__file__).parent
ENTERS = """
from loadmaster.jit.kernels import cached_njit
from loadmaster.room.called_kernel import called

@cached_njit(nogil=True)
def enters(x):
    return called(x)
"""
CALLED = """
from loadmaster.jit.kernels import inner
from loadmaster.room.numbers import STEP

@inner
def called(x):
    return 10 * x + STEP
"""
SHELL = """
from loadmaster.jit.kernels import cached_njit
from loadmaster.room.called_kernel import called

def engine():
    def entry(x):
        return called(x)
    return cached_njit("int64(int64)")(entry)
"""
RUN = """
from loadmaster.room.enters_kernel import enters
from loadmaster.room.shell import engine
compiled = engine()
print(enters(1), compiled(1), sum(enters.stats.cache_hits.values()) + sum(compiled.stats.cache_hits.values()))
"""

NOTED_EVENTS = """
from loadmaster.jit.first_compilation import FIRST_TIME
began, ended = [], []
FIRST_TIME.begins, FIRST_TIME.ends = lambda: began.append(1), lambda: ended.append(1)
from loadmaster.room.enters_kernel import enters
from loadmaster.room.shell import engine
print(enters(1), engine()(1), len(began), len(ended))
"""


@pytest.fixture
def package(tmp_path):
    """A copy of what kernels need of the package, with a room of two kernels, a shell and a constant."""
    home = tmp_path / "loadmaster"
    (home / "room").mkdir(parents=True)
    for folder in ("jit", "results"):
        (home / folder).mkdir()
    compiling = "array_items", "compiler_shortcuts", "linked_kernels", "missing_fields", "by_reference"
    parts = (*compiling, "compile_once", "first_compilation", "kernels", "__init__")
    for name in ("__init__.py", *(f"jit/{part}.py" for part in parts), "results/__init__.py", "results/stamp.py"):
        shutil.copy(SOURCE / name, home / name)
    room = home / "room"
    for name, text in (("enters_kernel", ENTERS), ("called_kernel", CALLED), ("shell", SHELL)):
        (room / f"{name}.py").write_text(text)
    (room / "__init__.py").touch()
    (room / "numbers.py").write_text("STEP = 1\n")
    return room


def run(room, program=RUN, **environment):
    """What `program` prints with this copy of the package: (through a kernel, through a shell, found on disk).

    Without Python's own compiled files: they tell no two texts of one length apart that are written within a second.
    """
    env = {"PYTHONPATH": str(room.parents[1]), "HOME": str(room), "PYTHONDONTWRITEBYTECODE": "1", **environment}
    told = subprocess.run(
        [sys.executable, "-c", program], env=env, capture_output=True, text=True, timeout=120, check=False
    )
    assert told.returncode in (0, 9), told.stderr
    return tuple(int(word) for word in told.stdout.split())


def test_a_kernel_on_disk_follows_the_kernel_that_it_calls_in_another_file(package):
    assert run(package) == (11, 11, 0)
    assert run(package) == (11, 11, 2)
    called = package / "called_kernel.py"
    called.write_text(called.read_text().replace("10 *", "20 *"))
    assert run(package) == (21, 21, 0)
    assert run(package) == (21, 21, 2)


def test_a_kernel_on_disk_follows_a_number_that_its_callee_takes_from_elsewhere(package):
    run(package)
    (package / "numbers.py").write_text("STEP = 5\n")
    assert run(package) == (15, 15, 0)


def test_a_kernel_on_disk_is_not_run_under_another_setting_of_bounds_checks(package):
    run(package)
    assert run(package, NUMBA_BOUNDSCHECK="1") == (11, 11, 0)
    assert run(package, NUMBA_BOUNDSCHECK="1") == (11, 11, 2)
    assert run(package) == (11, 11, 0)


def test_a_change_in_a_file_that_no_kernel_takes_anything_from_compiles_nothing(package):
    run(package)
    (package / "__init__.py").write_text("UNUSED = 1\n")
    assert run(package) == (11, 11, 2)


def test_a_stop_between_index_and_data_leaves_no_old_code_under_a_new_stamp(package):
    run(package)
    called = package / "called_kernel.py"
    called.write_text(called.read_text().replace("10 *", "20 *"))
    killed = "import os\nfrom loadmaster.jit.kernels import _Files\n_Files._save_data = lambda *what: os._exit(9)\n"
    assert run(package, killed + RUN) == ()
    assert run(package)[:2] == (21, 21)


def test_what_other_source_has_left_on_disk_goes(package):
    run(package)
    before = sorted(package.rglob("*.nb[ic]"))
    enters = package / "enters_kernel.py"
    enters.write_text("# a line more\n" + enters.read_text())
    assert run(package)[:2] == (11, 11)
    after = sorted(package.rglob("*.nb[ic]"))
    assert len(after) == len(before) == 4
    assert after != before


@pytest.mark.parametrize("ending", ["nbi", "nbc"])
def test_damaged_machine_code_on_disk_is_compiled_anew(package, ending):
    run(package)
    for path in package.rglob(f"*.{ending}"):
        path.write_bytes(path.read_bytes()[:40] + b"\x00damaged")
    assert run(package) == (11, 11, 0)
    assert run(package) == (11, 11, 2)


def test_a_kernel_runs_where_nothing_can_be_kept(monkeypatch):
    monkeypatch.setattr(CacheImpl, "_locator_classes", [])
    twice = kernels.cached_njit()(plainly_twice)
    assert twice(21) == 42


def test_a_kernel_runs_where_the_disk_is_full(monkeypatch):
    def full(*_what):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(kernels._Files, "_save_data", full)
    monkeypatch.setattr(kernels, "file_of", lambda _module: Path(__file__))
    assert kernels.cached_njit()(plainly_thrice)(14) == 42


def test_a_function_of_a_user_is_not_kept_since_nobody_knows_what_it_imports():
    assert kernels.cached_njit()(plainly_twice)._cache.cache_path is None


def test_no_kernel_of_the_house_goes_past_the_stamp():
    users = [path.name for path in SOURCE.rglob("*.py") if "cache=True" in path.read_text(encoding="utf-8")]
    assert users == []


def plainly_twice(x):
    return 2 * x


def plainly_thrice(x):
    return 3 * x


HOLDING = """
from loadmaster.jit.kernels import cached_under
from loadmaster.room.called_kernel import called

def engine(step, name):
    def entry(x):
        return called(x) + step
    return cached_under(name, ("loadmaster.room.holding",), "int64(int64)")(entry)
"""
RUN_HOLDING = """
from loadmaster.room.holding import engine
one, two = engine(1, "one-up"), engine(2, "one")
print(one(1), two(1), sum(one.stats.cache_hits.values()) + sum(two.stats.cache_hits.values()))
"""


def test_a_function_that_holds_a_kernel_is_kept_under_its_name_for_as_long_as_no_source_changes(package):
    (package / "holding.py").write_text(HOLDING)
    assert run(package, RUN_HOLDING) == (12, 13, 0)
    assert run(package, RUN_HOLDING) == (12, 13, 2)
    called = package / "called_kernel.py"
    called.write_text(called.read_text().replace("10 *", "20 *"))
    assert run(package, RUN_HOLDING) == (22, 23, 0)
    assert run(package, RUN_HOLDING) == (22, 23, 2)


ONE_OF_THEM = """
from loadmaster.room.holding import engine
print(engine({step}, "{name}")(1))
"""
HANDED_ON = """
from numba import njit, types
from loadmaster.room.holding import engine
signature = types.int64(types.int64)
asked = njit(types.int64(types.FunctionType(signature), types.int64))(lambda function, x: function(x))
one, two = engine(1, "one-up"), engine(2, "one")
print(asked(one, 1), asked(two, 1), sum(one.stats.cache_hits.values()) + sum(two.stats.cache_hits.values()))
"""


def test_functions_of_one_text_that_other_processes_have_kept_are_told_apart_where_they_are_handed_on(package):
    (package / "holding.py").write_text(HOLDING)
    assert run(package, ONE_OF_THEM.format(step=1, name="one-up")) == (12,)
    assert run(package, ONE_OF_THEM.format(step=2, name="one")) == (13,)
    assert run(package, HANDED_ON) == (12, 13, 2)


def test_what_two_processes_compile_for_different_arguments_at_one_moment_is_not_mixed_up(tmp_path, monkeypatch):
    one, two = (kernels._Files(str(tmp_path), "enters-1.py311", "stamp") for _ in range(2))
    with monkeypatch.context() as at_one_moment:  # both read the index before either writes
        at_one_moment.setattr(kernels._Files, "_load_index", lambda files: {})
        at_one_moment.setattr(kernels.Path, "unlink", lambda *what, **how: None)
        one.save(("int64",), "machine code for integers")
        at_one_moment.setattr(two, "_save_data", lambda name, data: None)
        two.save(("float64",), "machine code for floats")
    assert two.load(("float64",)) is None  # its data are not there yet


PRODUCT = """
import sys
import numpy as np
from loadmaster.jit.kernels import cached_njit
twice = cached_njit()(lambda x: 2 * x.sum())
print(int(twice(np.ones(3))), int("scipy.linalg" in sys.modules))
product = cached_njit()(lambda x: np.dot(x, x))
print(int(product(np.ones(3))), int("scipy.linalg" in sys.modules))
"""


def test_linear_algebra_of_scipy_is_loaded_where_a_kernel_uses_it_and_nowhere_else(package):
    assert run(package, PRODUCT) == (6, 0, 3, 1)


def test_what_is_compiled_is_told_and_what_is_found_on_disk_is_not(package):
    first, again = run(package, NOTED_EVENTS), run(package, NOTED_EVENTS)
    assert first[2:] == (2, 2)
    assert again[2:] == (0, 0)


COMPILES_WHILE_ANOTHER_WAITS = """
import time
from pathlib import Path
from loadmaster.jit.kernels import _Files
save = _Files.save
def save_late(files, key, data):
    Path("compiled").touch()
    while not Path("waiting").exists():
        time.sleep(0.01)
    save(files, key, data)
_Files.save = save_late
from loadmaster.room.enters_kernel import enters
print(enters(1))
"""
WAITS_WHILE_ANOTHER_COMPILES = """
from pathlib import Path
from loadmaster.jit.first_compilation import FIRST_TIME
begins = FIRST_TIME.begins
FIRST_TIME.begins = lambda: (begins(), Path("waiting").touch())
from loadmaster.room.enters_kernel import enters
print(enters(1), sum(enters.stats.cache_hits.values()), sum(enters.stats.cache_misses.values()), FIRST_TIME._under_way)
"""


def test_a_process_that_needs_what_another_compiles_at_that_moment_waits_for_it(package, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with ThreadPoolExecutor() as pool:
        first = pool.submit(run, package, COMPILES_WHILE_ANOTHER_WAITS)
        while not (tmp_path / "compiled").exists():
            assert not first.done(), first.result()
            time.sleep(0.01)
        assert run(package, WAITS_WHILE_ANOTHER_COMPILES) == (11, 1, 0, 0)
        assert first.result() == (11,)
    assert not list(package.rglob("*.lock"))


def test_a_process_that_was_killed_as_it_compiled_keeps_no_other_waiting(package):
    killed = "import os\nfrom loadmaster.jit.kernels import _Files\n_Files.save = lambda *what: os._exit(9)\n"
    assert run(package, killed + RUN) == ()
    assert len(list(package.rglob("*.lock"))) == 1
    assert run(package) == (11, 11, 0)
    assert not list(package.rglob("*.lock"))


NOT_COMPILED = """
from contextlib import suppress
from pathlib import Path
from numba.core.errors import TypingError
from loadmaster.room.enters_kernel import enters
with suppress(TypingError):
    enters("text")
print(len(list(Path(enters._cache.cache_path).glob("*.lock"))), enters(1))
"""


def test_a_kernel_that_cannot_be_compiled_keeps_no_other_process_waiting(package):
    assert run(package, NOT_COMPILED) == (0, 11)
