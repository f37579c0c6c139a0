"""`loadmaster serve`: what it refuses before it listens."""

import os
import subprocess
import sys

import pytest


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("arguments", "rule"), [
    (["none"], "no such folder"),
    (["log.swf"], "a file, not a folder"),
    ([".", "--port", "0", "--host", "0.0.0.0"], "names every address"),
    ([".", "--port", "70000"], "65535"),
    ([".", "--port", "0", "--max-upload", "much"], "not an amount of memory"),
    ([".", "--port", "0", "--max-upload", "0"], "more than zero"),
    ([".", "--port", "0", "--work", "log.swf"], "cannot write there"),
])  # fmt: skip
def test_what_cannot_be_served_is_refused_in_one_line(told, here, arguments, rule):
    (here / "log.swf").write_text("")
    assert rule in told("serve", *arguments)


@pytest.mark.parametrize("library", ["uvicorn", "starlette"])
def test_without_its_libraries_the_command_that_installs_them_is_said(here, library):
    code = f"import sys; sys.modules[{library!r}] = None; from loadmaster.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "serve", "."],
        capture_output=True,
        text=True,
        check=False,
        cwd=here,
        timeout=60,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "loadmaster: the workbench needs the extra 'serve'; install it with: pip install 'loadmaster[serve]'"
    ]
