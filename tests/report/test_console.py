"""What is printed: names as they are, and no output that is too poor for it."""

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from loadmaster.report.console import as_typed, for_results, never_fail_to_encode

SOURCE = str(Path(__file__).parents[2] / "src")


@pytest.mark.parametrize(
    ("encoding", "shown"),
    [("ascii", b"* -31 % ~ h\\xf6st"), ("latin-1", b"* -31 % \xb1 h\xf6st"), ("utf-8", "★ −31 % ± höst".encode())],
)
def test_signs_that_an_output_lacks_are_replaced_and_never_an_error(encoding, shown):
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    never_fail_to_encode(stream)
    stream.write("★ −31 % ± höst")
    stream.flush()
    assert stream.buffer.getvalue() == shown


@pytest.mark.parametrize("name", ["[/b]", "[bold]x", ":warning:", "[link=x]"])
def test_brackets_and_colons_in_names_are_no_markup(name, monkeypatch):
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    for_results().print(name)
    assert sys.stdout.getvalue() == f"{name}\n"


def test_a_command_with_bytes_that_are_no_letters_can_be_written_into_every_file():
    assert as_typed(["compare", os.fsdecode(b"caf\xe9 1.csv")]) == "compare 'caf\\xe9 1.csv'"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("poor")
    (folder / os.fsdecode(b"caf\xe9.csv")).write_text("submit_s,runtime_s,cores\n0,20,1\n0,20,2\n")
    (folder / "hosts.csv").write_text('name,cores\n"[/b]",2\n:warning:,2\n')
    return folder


def loadmaster(folder, *command, **environment):
    return subprocess.run(
        [sys.executable, "-m", "loadmaster", *command],
        cwd=folder,
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONPATH": SOURCE, **environment},
    )


def test_a_comparison_ends_well_where_a_star_cannot_be_encoded(folder):
    policies = ("--policies", "worse-fit-cores,best-fit-cores", "--interval", "0")
    done = loadmaster(folder, "compare", "--limit", "6000", *policies, PYTHONIOENCODING="ascii")
    assert (done.returncode, b"Traceback" in done.stderr) == (0, False)
    assert b" *" in done.stdout
    assert done.stdout.isascii()


def test_hosts_and_files_may_bear_any_name(folder):
    log = os.fsdecode(b"caf\xe9.csv")
    for command in (
        ("compare", log, "--hosts", "hosts.csv", "--policies", "first-fit,best-fit-cores"),
        ("simulate", log, "--hosts", "hosts.csv", "-o", "[/r]"),
        ("explain", "[/r]", "1"),
        ("info", log, "--hosts", "hosts.csv"),
    ):
        done = loadmaster(folder, *command)
        assert (done.returncode, b"Traceback" in done.stderr) == (0, False), done.stderr.decode()
    assert "[/b]" in loadmaster(folder, "explain", "[/r]", "0").stdout.decode()
