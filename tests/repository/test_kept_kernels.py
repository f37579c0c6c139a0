"""What a run of the tests leaves on disk: machine code of the source as it stands, for the next run and for users."""

import re
from pathlib import Path

TESTS = Path(__file__).parents[1]


def test_no_test_changes_a_number_of_a_kernels_file():
    """The stamp of machine code holds these numbers: other ones would have all of it compiled and put in its place."""
    found = []
    for path in TESTS.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        kernels = {short or name for name, short in re.findall(r"(\w+_kernel)\b(?: as (\w+))?", text)}
        changed = re.findall(r"""setattr\((?:"[\w.]+\.(\w+_kernel)\.|(\w+), ")([A-Z_]+)\b""", text)
        found += [f"{path.name}: {full or name}.{number}" for full, name, number in changed if full or name in kernels]
    assert found == []
