"""Runs the examples of README and docs: what a page shows must be what happens.

In every Markdown page, in order, in a folder of the page's own:

- a ```python block with `>>>` is a doctest; names live on to the end of the page;
- any other ```python block is executed; if its first line is a comment with a file's name, such as `# my_rule.py`, it
  is saved under that name too;
- in a ```console block each line `$ loadmaster ...` is run as typed, and must end with exit code 0. Lines below it, if
  there are any, are compared with what it prints; write `...` where that differs from run to run. Other commands than
  loadmaster are only shown. `tests/set_ups/command_server.py` runs loadmaster.

`<!-- not run: why -->` on the line above a block leaves it out, and the test says so. `<!-- exits with 2 -->` there
expects that exit code.
"""

import doctest
import os
import re
import shlex
import subprocess
import tempfile
from pathlib import Path
from typing import Any
from unittest import SkipTest

import pytest
from command_server import folder_of_program
from sybil import Example, Sybil
from sybil.parsers.myst import CodeBlockParser

REPOSITORY = Path(__file__).parent
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
_REMARK = re.compile(r"<!-- (not run|exits with):? (.+?) -->\s*$")
_FILE_NAME = re.compile(r"# ([\w-]+\.\w+)$")


class Python(CodeBlockParser):
    """```python blocks."""

    language = "python"

    def evaluate(self, example: Example) -> None:
        """Run the block in the page's namespace."""
        _skip_if_told(example)
        source = str(example.parsed)
        if ">>>" in source:
            _run_doctest(source, example)
            return
        name = _FILE_NAME.match(source.partition("\n")[0])
        if name:
            Path(name[1]).write_text(source)
        exec(compile("\n" * example.line + source, str(example.path), "exec"), example.namespace)


class Console(CodeBlockParser):
    """```console blocks."""

    language = "console"

    def evaluate(self, example: Example) -> None:
        """Run every `$ loadmaster ...` of the block."""
        _skip_if_told(example)
        expected_code = int(_remarks(example).get("exits with", 0))
        for command, shown in _commands(str(example.parsed)):
            if shlex.split(command, comments=True)[:1] != ["loadmaster"]:
                continue
            done = subprocess.run(
                ["bash", "-o", "pipefail", "-c", command],
                capture_output=True,
                text=True,
                env=_environment(),
                check=False,
            )
            printed = done.stdout + done.stderr
            assert done.returncode == expected_code, f"exit code {done.returncode} of: {command}\n{printed}"
            same = doctest.OutputChecker().check_output(shown, printed, FLAGS)
            assert same or not shown.strip(), f"{command}\nThe page shows:\n{shown}\nbut it prints:\n{printed}"


def _run_doctest(source: str, example: Example) -> None:
    test = doctest.DocTestParser().get_doctest(source, {}, example.path, example.path, example.line)
    test.globs = example.namespace  # not a copy: later blocks go on with the names
    said: list[str] = []
    doctest.DocTestRunner(verbose=False, optionflags=FLAGS).run(test, out=said.append, clear_globs=False)
    assert not said, "".join(said)


def _commands(block: str) -> list[tuple[str, str]]:
    """Every command of a block with the text shown below it; `> ` or a backslash goes on with a command."""
    found: list[tuple[str, str]] = []
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], ""))
        elif found and found[-1][0].endswith("\\"):
            found[-1] = (found[-1][0] + "\n" + line.removeprefix("> "), "")
        elif found:
            found[-1] = (found[-1][0], found[-1][1] + line + "\n")
    return found


def _remarks(example: Example) -> dict[str, str]:
    before = example.document.text[: example.region.start].rstrip().rpartition("\n")[2]
    remark = _REMARK.match(before)
    return {remark[1]: remark[2]} if remark else {}


def _skip_if_told(example: Example) -> None:
    reason = _remarks(example).get("not run")
    if reason:
        raise SkipTest(reason)


def _environment() -> dict[str, str]:
    """The shell's environment, with this repository's `loadmaster` first and a terminal 120 wide."""
    return {
        **os.environ,
        "PATH": f"{folder_of_program()}:{os.environ['PATH']}",
        "COLUMNS": "120",
        "NO_COLOR": "1",
        "PYTHONPATH": str(REPOSITORY / "src"),
    }


def _enter(namespace: dict[str, Any]) -> None:
    namespace["_folder"] = tempfile.TemporaryDirectory()
    namespace["_before"] = Path.cwd()
    os.chdir(namespace["_folder"].name)


def _leave(namespace: dict[str, Any]) -> None:
    os.chdir(namespace["_before"])
    namespace["_folder"].cleanup()


_collect = Sybil(
    parsers=[Python(), Console()],
    patterns=["README.md", "docs/*.md", "docs/**/*.md"],
    path=str(REPOSITORY),
    excludes=["docs/_build/**", "docs/reference/generated/**", "docs/tutorial/generated/**"],
    setup=_enter,
    teardown=_leave,
).pytest()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Leave the names of skipped tests in a file that `pytest @FILE` takes: .pytest_cache/d/skipped/tests.txt.

    Those of a run that tries the last failures again are not all, and are left out.
    """
    names = dict.fromkeys(report.nodeid for report in terminalreporter.stats.get("skipped", ()))
    if hasattr(config, "cache") and not config.getoption("lf", default=False):
        (config.cache.mkdir("skipped") / "tests.txt").write_text("".join(f"{name}\n" for name in names))


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> Any:
    """Hand Markdown pages to the parsers above."""
    return _collect(file_path, parent)
