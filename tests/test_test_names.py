"""Names of test files: pytest tells modules of folders that are no packages apart by their names alone."""

from collections import Counter
from pathlib import Path

TESTS = Path(__file__).parent


def test_no_two_test_files_outside_packages_share_a_name():
    files = [path for path in TESTS.rglob("*.py") if not (path.parent / "__init__.py").exists()]
    twice = [name for name, count in Counter(path.name for path in files).items() if count > 1]
    assert twice == [], "pytest would stop before the first test"
