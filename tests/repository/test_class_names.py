"""One word, one thing: a public class is known by its name alone, wherever in the package it is met."""

import ast
from collections import Counter
from pathlib import Path

import loadmaster

SOURCE = Path(loadmaster.__file__).parent


def test_no_two_public_classes_share_a_name():
    trees = [ast.parse(path.read_text()) for path in SOURCE.rglob("*.py")]
    names = Counter(node.name for tree in trees for node in tree.body if isinstance(node, ast.ClassDef))
    assert [name for name, count in names.items() if count > 1 and not name.startswith("_")] == []
