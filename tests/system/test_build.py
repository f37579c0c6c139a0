"""The commit that a program says it was made of, as git itself tells it."""

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from loadmaster import __version__
from loadmaster.system.build import COMMIT_FILE, commit

ROOT = Path(__file__).parents[2]


def git(folder, *words):
    made = ["git", "-C", str(folder), "-c", "user.name=a", "-c", "user.email=a@b", *words]
    return subprocess.run(made, capture_output=True, text=True, check=True).stdout.strip()


@pytest.fixture
def checkout(tmp_path):
    """A repository with one commit and a package in it."""
    (tmp_path / "one" / "src" / "loadmaster").mkdir(parents=True)
    (tmp_path / "one" / "src" / "loadmaster" / "__init__.py").touch()
    git(tmp_path / "one", "init", "-q")
    git(tmp_path / "one", "add", "-A")
    git(tmp_path / "one", "commit", "-qm", "One")
    return tmp_path / "one"


def package(folder):
    return folder / "src" / "loadmaster"


def test_of_a_checkout_it_is_the_head_also_detached_packed_and_in_a_worktree(checkout):
    head = git(checkout, "rev-parse", "HEAD")
    assert commit(package(checkout)) == head
    other = checkout.parent / "other"
    git(checkout, "worktree", "add", "-q", "-b", "second", str(other))
    assert commit(package(other)) == head
    detached = checkout.parent / "detached"
    git(checkout, "worktree", "add", "-q", "--detach", str(detached))
    assert commit(package(detached)) == head
    packed = checkout.parent / "packed"
    git(checkout.parent, "clone", "-q", str(checkout), str(packed))
    git(packed, "pack-refs", "--all")
    assert commit(package(packed)) == head


def test_of_a_wheel_it_is_that_of_its_file_and_of_a_plain_folder_none(checkout, tmp_path):
    (package(checkout) / COMMIT_FILE).write_text("f" * 40 + "\n")
    assert commit(package(checkout)) == "f" * 40
    plain = tmp_path / "a" / "b"
    plain.mkdir(parents=True)
    assert commit(plain) == ""


def test_the_version_stands_in_one_place_and_the_citation_bears_it():
    assert "version" in tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dynamic"]
    assert re.search(r"^version: (.*)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)[1] == __version__
