"""What CONTRIBUTING says of the code is so."""

import ast
from pathlib import Path

ROOT = Path(__file__).parents[2]
COMPILES = (
    "jit/kernels.py",
    "jit/by_reference.py",
    "jit/linked_kernels.py",
    "jit/compiler_shortcuts.py",
    "jit/array_items.py",
    "jit/moved_entries.py",
    "jit/missing_fields.py",
    "compiled_rules/policies.py",
    "compiled_rules/orders.py",
    "compiled_rules/scans.py",
    "compiled_rules/called_in_process.py",
)
NAMED = {"typeof", "types", "NumbaExperimentalFeatureWarning"}
"""What the caller of a kernel may take from Numba: the types of the kernel's arguments."""


def taken_from_numba(path):
    """The names that a file imports from Numba, `numba` itself among them."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.split(".")[0] == "numba")
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "numba":
            yield from (alias.name for alias in node.names)


def test_code_is_compiled_only_where_contributing_says():
    found = {}
    for path in sorted((ROOT / "src").rglob("*.py")):
        inside = path.relative_to(ROOT / "src" / "loadmaster").as_posix()
        if not path.name.endswith("_kernel.py") and inside not in COMPILES:
            names = set(taken_from_numba(path)) - NAMED
            if names:
                found[str(path.relative_to(ROOT))] = names
    assert found == {}
    assert list(taken_from_numba(ROOT / "src/loadmaster/jit/kernels.py"))
