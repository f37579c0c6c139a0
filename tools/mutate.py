"""Breaks the code on purpose and counts how often the tests notice: `python tools/mutate.py --count 100 --seed 1`.

Each mutant is one small change to one file (an operator, a comparison, a constant, min for max, a lost statement) in a
copy of the package, against the tests that `mutants.toml` names for the file. A mutant that no test notices is printed:
either it changes nothing that matters, or a test is missing. Kernels run as plain Python where the table says so.
"""

import argparse
import ast
import copy
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

ROOT = Path(__file__).parents[1]
LIMIT_S = 150.0
"""A mutant that runs longer is noticed: it hangs."""

OPERATORS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult, ast.Mod: ast.Add,
    ast.Pow: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.LShift: ast.RShift, ast.RShift: ast.LShift,
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.And: ast.Or, ast.Or: ast.And, ast.USub: ast.UAdd, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}  # fmt: skip
NAMES = {
    "min": "max", "max": "min", "any": "all", "all": "any", "argmin": "argmax", "argmax": "argmin", "floor": "ceil",
    "ceil": "floor", "minimum": "maximum", "maximum": "minimum", "left": "right", "right": "left", "sorted": "list",
    "zeros": "ones", "ones": "zeros",
}  # fmt: skip


@dataclass(frozen=True)
class Target:
    """A file and what watches over it.

    Attributes:
        path: from the root of the project.
        tests: what pytest is given.
        plain: run kernels as plain Python.
    """

    path: str
    tests: tuple[str, ...]
    plain: bool


@dataclass(frozen=True)
class Mutant:
    """One change to one file: what stands in which line, and the file's text with it."""

    line: int
    change: str
    text: str


def main() -> int:
    """Try the mutants; exit code 1 if one survives."""
    asked = _arguments()
    targets = [target for target in table() if not asked.file or any(name in target.path for name in asked.file)]
    began, tried, survivors = time.monotonic(), 0, list[str]()
    with tempfile.TemporaryDirectory(prefix="mutants-") as home:
        copied = Path(home)
        for part in ("src", "tests", "docs", "pyproject.toml", "README.md"):
            _copy(ROOT / part, copied / part)
        for number, target in enumerate(targets):
            share = asked.count // len(targets) + (number < asked.count % len(targets))
            seen, lived = _series(copied, target, share, random.Random(f"{asked.seed} {target.path}"))
            tried += seen
            survivors += lived
    print(f"{tried - len(survivors)} of {tried} mutants noticed in {time.monotonic() - began:.0f} s, seed {asked.seed}")
    return 1 if survivors else 0


def table() -> list[Target]:
    """Every file that is mutated, with its tests."""
    rows = tomllib.loads((ROOT / "tools" / "mutants.toml").read_text())
    return [Target(path, tuple(row["tests"]), row.get("plain", False)) for path, row in rows.items()]


def _series(home: Path, target: Target, count: int, rng: random.Random) -> tuple[int, list[str]]:
    """Try `count` mutants of a file; returns how many were tried and which nobody noticed."""
    path = home / target.path
    sound = path.read_text()
    if _noticed(home, target):
        raise SystemExit(f"{target.path}: its tests fail without any change; run them first")
    chosen = mutants(sound, count, rng)
    survivors = []
    for mutant in chosen:
        path.write_text(mutant.text)
        if not _noticed(home, target):
            survivors.append(f"{target.path}:{mutant.line}: {mutant.change}")
            print(f"  survives: {survivors[-1]}", flush=True)
    path.write_text(sound)
    print(f"{target.path}: {len(chosen) - len(survivors)} of {len(chosen)} noticed", flush=True)
    return len(chosen), survivors


def _noticed(home: Path, target: Target) -> bool:
    environment = os.environ | {"PYTHONPATH": str(home / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    environment["NUMBA_CACHE_DIR"] = str(home / "kernels")
    if target.plain:
        environment["NUMBA_DISABLE_JIT"] = "1"
    command = [sys.executable, "-m", "pytest", "-x", "-q", "--no-header", "-p", "no:cacheprovider", *target.tests]
    try:
        done = subprocess.run(command, cwd=home, env=environment, capture_output=True, timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        return True
    return done.returncode != 0


def mutants(source: str, count: int, rng: random.Random) -> list[Mutant]:
    """Up to `count` mutants of a file, drawn from all there are, in the order of their lines."""
    tree = ast.parse(source)
    numbers = list(range(sum(1 for _ in _places(tree))))
    rng.shuffle(numbers)
    found: list[Mutant] = []
    while numbers and len(found) < count:
        changed = copy.deepcopy(tree)
        where, field, index = next(islice(_places(changed), numbers.pop(), None))
        before = ast.unparse(where)
        if _change(where, field, index) and (after := ast.unparse(where)) != before:
            change = f"{_short(before)}  ->  {_short(after)}"
            found.append(Mutant(int(getattr(where, "lineno", 0)), change, ast.unparse(changed)))
    return sorted(found, key=lambda mutant: mutant.line)


def _places(tree: ast.AST) -> Iterator[tuple[ast.AST, str, int]]:
    """(node, field, index in the field) of all that can be changed; annotations, docstrings and messages cannot."""
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp | ast.AugAssign | ast.BoolOp | ast.UnaryOp):
            yield node, "op", 0
        elif isinstance(node, ast.Compare):
            yield from ((node, "ops", index) for index in range(len(node.ops)))
        elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
            yield node, "value", 0
        elif isinstance(node, ast.Name | ast.Attribute):
            yield node, "id" if isinstance(node, ast.Name) else "attr", 0
        elif isinstance(node, ast.If | ast.While | ast.For | ast.FunctionDef):
            for index, statement in enumerate(node.body):
                if isinstance(statement, ast.Assign | ast.AugAssign | ast.Continue | ast.Break):
                    yield node, "body", index


def _change(node: ast.AST, field: str, index: int) -> bool:
    """Change the node in place; whether there was anything to change."""
    value = getattr(node, field)
    if field == "body":
        value[index] = ast.copy_location(ast.Pass(), value[index])
        return len(value) > 1
    if field == "ops":
        value[index] = OPERATORS[type(value[index])]()
        return True
    if field == "op":
        if isinstance(value, ast.Not):
            node.operand = ast.UnaryOp(ast.Not(), node.operand)  # type: ignore[attr-defined]
            return True
        other = OPERATORS.get(type(value))
        if other is not None:
            setattr(node, field, other())
        return other is not None
    if field == "value":
        other_value = (
            (not value) if isinstance(value, bool) else value + 1 if isinstance(value, int) else value * 2 + 1e-6
        )
        node.value = other_value  # type: ignore[attr-defined]
        return True
    setattr(node, field, NAMES.get(value, value))
    return value in NAMES


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 90 else line[:87] + "..."


def _copy(source: Path, target: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__", "_build"))
    else:
        shutil.copy(source, target)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100, help="mutants in all, spread over the files")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--file", action="append", help="only files whose path contains this; may be repeated")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
