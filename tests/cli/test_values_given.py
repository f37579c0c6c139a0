"""An option given two values or none is refused, whatever the verb; one that may be repeated takes them all."""

import pytest
import typer.main
from typer import Context

from loadmaster.cli.app import VERBS, app
from loadmaster.model import InputError

GROUP = typer.main.get_command(app)


def commands(command, path=()):
    """Every command with its path, those of groups too."""
    if hasattr(command, "commands"):
        return [each for name in command.commands for each in commands(command.commands[name], (*path, name))]
    return [(path, command)]


ALL = [pair for verb in VERBS for pair in commands(GROUP.commands[verb], (verb,))]
ONCE, OFTEN = (
    [
        pytest.param(command, option, id=" ".join((*path, max(option.opts, key=len))))
        for path, command in ALL
        for option in command.params
        if option.param_type_name == "option" and not option.is_flag and option.multiple == several
    ]
    for several in (False, True)
)


def given(command, option, *values):
    """What the option comes to, from words as they are typed."""
    context = Context(command, resilient_parsing=False)
    flag = max(option.opts, key=len)
    found, _, _ = command.make_parser(context).parse_args([word for value in values for word in (flag, value)])
    return option.consume_value(context, found)[0]


@pytest.mark.parametrize(("command", "option"), ONCE)
def test_two_values_are_refused_and_the_same_twice_is_one(command, option):
    assert given(command, option, "5", "5") == "5"
    with pytest.raises(InputError, match=f"{max(option.opts, key=len)} is given twice"):
        given(command, option, "5", "6")


@pytest.mark.parametrize(("command", "option"), OFTEN)
def test_what_may_be_repeated_takes_all_values(command, option):
    assert list(given(command, option, "5", "6")) == ["5", "6"]


@pytest.mark.parametrize(("command", "option"), [*ONCE, *OFTEN])
def test_another_option_is_no_value(command, option):
    with pytest.raises(InputError, match=f"{max(option.opts, key=len)} needs a value"):
        given(command, option, "--help")


def test_a_list_is_written_as_one():
    [compare] = [command for path, command in ALL if path == ("compare",)]
    [policies] = [option for option in compare.params if option.name == "policies"]
    with pytest.raises(InputError, match="write --policies first-fit,mix-fit"):
        given(compare, policies, "first-fit", "mix-fit")
