import subprocess
import sys

import pytest
import typer.main
from typer import Context
from typer.testing import CliRunner

from loadmaster.cli.app import VERBS, app

GROUP = typer.main.get_command(app)


@pytest.mark.parametrize("verb", VERBS)
def test_the_line_in_the_list_of_verbs_is_the_first_line_of_the_help_of_the_verb(verb):
    assert GROUP.commands[verb].help.splitlines()[0] == VERBS[verb]


def test_the_list_of_verbs_loads_none_of_them_and_a_verb_no_other():
    code = (
        "import sys; from loadmaster.cli.app import app\n"
        "app(sys.argv[1:], standalone_mode=False)\n"
        "print(sorted(name.partition('.cli.')[2] for name in sys.modules if name.startswith('loadmaster.cli.')))"
    )
    verbs = {}
    for command in (["--help"], ["policies", "--help"]):
        done = subprocess.run([sys.executable, "-c", code, *command], capture_output=True, text=True, check=True)
        verbs[command[0]] = set(eval(done.stdout.splitlines()[-1])) & set(VERBS)
    assert verbs == {"--help": set(), "policies": {"policies"}}


def test_a_verb_that_is_not_there_is_no_command():
    assert GROUP.get_command(Context(GROUP), "compre") is None


def test_what_is_typed_so_far_is_completed_to_verbs_with_their_lines():
    found = {item.value: item.help for item in GROUP.shell_complete(Context(GROUP), "rep")}
    assert list(found) == ["report", "reproduce"]
    assert all(VERBS[name].startswith(line.rstrip(".")) for name, line in found.items())


@pytest.mark.parametrize("command", [[], ["pack"], ["live", "slurm"]])
def test_the_help_of_a_switch_asks_for_no_value(command):
    shown = CliRunner().invoke(app, [*command, "--help"]).output
    assert "--help" in shown
    assert "<bool>" not in shown


@pytest.mark.parametrize(
    ("command", "arguments"),
    [("size", "BAG"), ("compare", "[TRACE]"), ("convert", "TRACE OUT"), ("serve", "[DIR]..."), ("pack", "TASKS")],
)
def test_the_usage_names_arguments_as_all_tools_do(command, arguments):
    shown = CliRunner().invoke(app, [command, "--help"]).output
    assert f"Usage: loadmaster {command} [OPTIONS] {arguments} " in shown
