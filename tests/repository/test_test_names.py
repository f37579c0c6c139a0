"""Names of test files: pytest tells modules of folders that are no packages apart by their names alone."""

import re
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

TESTS = Path(__file__).parents[1]


def test_no_two_test_files_outside_packages_share_a_name():
    files = [path for path in TESTS.rglob("*.py") if not (path.parent / "__init__.py").exists()]
    twice = [name for name, count in Counter(path.name for path in files).items() if count > 1]
    assert twice == [], "pytest would stop before the first test"


def test_no_folder_of_tests_is_taken_for_a_library_that_is_not_installed():
    """Pytest puts the folder above a test file's on Python's path, where any folder can be imported as a module."""
    sources = "\n".join(path.read_text() for path in (TESTS.parent / "src").rglob("*.py"))
    libraries = set(re.findall(r"^\s*(?:import|from) (\w+)", sources, re.MULTILINE)) - {"loadmaster"}
    folders = {path.name for path in TESTS.rglob("*") if path.is_dir()} & libraries
    specs = {name: find_spec(name) for name in folders}
    assert [name for name, spec in specs.items() if spec is not None and spec.origin is None] == []
