"""What stands before a verb, and the examples at the end of every help."""

import os
import shlex
import subprocess
import sys

import pytest
import typer.main

from loadmaster import __version__
from loadmaster.cli.app import VERBS, app
from loadmaster.cli.examples import EXAMPLES

GROUP = typer.main.get_command(app)


def _commands():
    for name in VERBS:
        command = GROUP.commands[name]
        yield name, command
        yield from ((f"{name} {inner}", each) for inner, each in getattr(command, "commands", {}).items())


COMMANDS = dict(_commands())


def test_every_help_ends_with_examples_and_there_are_none_of_what_is_not_there():
    assert {*EXAMPLES} == {"", *COMMANDS}
    for name, command in COMMANDS.items():
        assert all(line in command.epilog for line in EXAMPLES[name])
        assert "Examples" not in command.help, name


@pytest.mark.parametrize("line", [line for lines in EXAMPLES.values() for line in lines])
def test_an_example_is_understood_as_it_stands(line):
    words = shlex.split(line.rpartition("; ")[2])[1:]
    name = max((name for name in COMMANDS if words[: len(name.split())] == name.split()), key=len)
    given = words[len(name.split()) :]
    context = COMMANDS[name].make_context(name, given)
    assert not context.args


@pytest.mark.parametrize("flag", ["-h", "--help"])
@pytest.mark.parametrize("verb", [[], ["pack"], ["generate", "bag"]])
def test_help_is_there_under_both_its_names(verb, flag, capsys):
    assert app([*verb, flag], prog_name="loadmaster", standalone_mode=False) == 0
    said = capsys.readouterr().out
    assert "Usage: loadmaster" in said
    assert EXAMPLES[" ".join(verb)][0].split()[-1] in said


def test_the_version_is_said_before_anything_else_is_loaded(capsys):
    assert app(["--version"], prog_name="loadmaster", standalone_mode=False) == 0
    assert capsys.readouterr().out.startswith(f"loadmaster {__version__}")


@pytest.mark.parametrize(
    ("typed", "offered"), [("loadmaster reb", {"rebalance"}), ("loadmaster pack --meth", {"--method"})]
)
def test_bash_completes_verbs_and_options(typed, offered):
    words = typed.split()
    asked = {"_LOADMASTER_COMPLETE": "complete_bash", "COMP_WORDS": typed, "COMP_CWORD": str(len(words) - 1)}
    done = subprocess.run(
        [sys.executable, "-c", "from loadmaster.cli import main; main()"],
        env={**os.environ, **asked},
        capture_output=True,
        text=True,
        check=False,
    )
    assert {*done.stdout.split()} == offered, done.stderr
