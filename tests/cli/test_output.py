"""What nobody takes ends the command as with other tools: no traceback, and an exit code of its own."""

import json
import os
import subprocess
import sys

import pytest

from loadmaster.cli.output import READER_GONE

PROGRAM = (sys.executable, "-m", "loadmaster")
VERBS = (("policies",), ("policies", "--json"), ("--help",))


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_a_reader_that_has_seen_enough_ends_the_command_without_a_word(verb):
    ours, theirs = os.pipe()
    os.close(ours)
    ended = subprocess.run([*PROGRAM, *verb], stdout=theirs, stderr=subprocess.PIPE, check=False)
    os.close(theirs)
    assert (ended.returncode, ended.stderr) == (READER_GONE, b"")


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_a_closed_output_is_told_in_one_line(verb):
    closing = ["/bin/sh", "-c", 'exec "$@" >&-', "sh", *PROGRAM, *verb]
    ended = subprocess.run(closing, stderr=subprocess.PIPE, check=False)
    assert (ended.returncode, ended.stderr) == (2, b"loadmaster: the output: closed\n")


def test_a_closed_stderr_takes_notes_and_none_of_them_ends_up_among_the_results(tmp_path):
    closing = ["/bin/sh", "-c", 'exec "$@" 2>&-', "sh", *PROGRAM, "info", str(tmp_path / "nowhere.swf")]
    ended = subprocess.run(closing, stdout=subprocess.PIPE, check=False)
    assert (ended.returncode, ended.stdout) == (2, b"")


def test_no_file_gets_the_number_of_a_closed_output(tmp_path):
    """Whatever a library or a child prints there would be written into it."""
    program = (
        "import os; from loadmaster.cli.output import watched_output; watched_output();"
        f" file = os.open({str(tmp_path / 'log')!r}, os.O_CREAT | os.O_WRONLY); os._exit(file)"
    )
    closing = ["/bin/sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", sys.executable, "-c", program]
    assert subprocess.run(closing, check=False).returncode == 3


@pytest.mark.parametrize("uncompilable", ["", "    sorted([demand[0]], key=lambda each: -each)\n    str(free)\n"])
def test_what_a_rule_prints_is_no_part_of_a_document(tmp_path, uncompilable):
    rule = f"def loud(demand, free, capacity):\n    print(1)\n{uncompilable}    return free[0]\n"
    (tmp_path / "own.py").write_text(rule)
    asked = ["compare", "--limit", "20", "--policies", "own.py:loud", "--json", "-o", "out"]
    ended = subprocess.run([*PROGRAM, *asked], capture_output=True, cwd=tmp_path, check=True)
    assert json.loads(ended.stdout)["rows"]
    assert b"\n1\n" in ended.stderr
