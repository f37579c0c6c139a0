"""Which version of the program runs, and the commit of its source where that is known."""

from functools import cache
from pathlib import Path

from loadmaster import __version__

COMMIT_FILE = "commit.txt"
"""Beside `__init__.py` in a built wheel; written by `hatch_build.py`."""
_PACKAGE = Path(__file__).parents[1]


@cache
def commit(package: Path = _PACKAGE) -> str:
    """The commit of the source, 40 hexadecimal digits: of a wheel the one it was built from, of a checkout its HEAD.

    Empty where neither is known. Changes of a checkout that are not committed do not show.
    """
    try:
        return (package / COMMIT_FILE).read_text(encoding="ascii").strip()
    except OSError:
        return _head(package.parents[1] / ".git")


def shown_version() -> str:
    """The version as pages and `--version` show it, such as `loadmaster 0.1.0 (commit cc608448)`."""
    of = commit()
    return f"loadmaster {__version__}" + (f" (commit {of[:8]})" if of else "")


def _head(git: Path) -> str:
    """The commit that is checked out there; empty where it is no folder or file of git's, or has no commit."""
    try:
        if git.is_file():  # of a worktree: `gitdir: FOLDER`
            git = git.parent / git.read_text(encoding="utf-8").removeprefix("gitdir:").strip()
        name = (git / "HEAD").read_text(encoding="ascii").strip()
        if not name.startswith("ref:"):
            return name
        name = name.removeprefix("ref:").strip()
        shared = git / "commondir"
        folders = [git, *([git / shared.read_text(encoding="utf-8").strip()] if shared.is_file() else [])]
        for folder in folders:
            if (folder / name).is_file():
                return (folder / name).read_text(encoding="ascii").strip()
        packed = (folders[-1] / "packed-refs").read_text(encoding="utf-8").splitlines()
        return next((line.split()[0] for line in packed if line.endswith(f" {name}")), "")
    except (OSError, UnicodeDecodeError):
        return ""
