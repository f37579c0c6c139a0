"""Options of a verb, as Python and the command line see them."""

import inspect

import pytest
import typer

from loadmaster.cli.app import app
from loadmaster.model import InputError
from loadmaster.verbs.compare import CompareOptions, compare
from loadmaster.verbs.option import described


def test_options_remember_which_were_given_even_where_they_are_the_defaults():
    assert CompareOptions("log.swf", seed=0).given == ("trace", "seed")
    assert CompareOptions().given == ()


def test_a_word_that_an_option_does_not_take_is_refused_by_the_option_s_name():
    with pytest.raises(InputError, match="'anny': --spread takes auto, single-host, any, asked"):
        CompareOptions(spread="anny")
    with pytest.raises(InputError, match="--seed takes a whole number of at least 0"):
        CompareOptions(seed=-1)
    with pytest.raises(InputError, match="--limit takes a whole number of at least 1"):
        CompareOptions(limit=0)


def test_the_command_line_and_python_have_the_same_options_with_the_same_defaults():
    command = typer.main.get_command(app).commands["compare"]
    typed = {parameter.name: parameter.default for parameter in command.params}
    asked = {name: each.default for name, each in inspect.signature(compare).parameters.items()}
    assert asked.keys() <= typed.keys()
    assert {name for name in asked if typed[name] != asked[name]} == {"out"}


def test_the_help_of_every_option_is_in_the_docstring():
    for name, (_, option) in described(CompareOptions).items():
        assert f"    {name}: {option.help}" in compare.__doc__


def test_a_call_is_shown_as_one_writes_it():
    options = CompareOptions("log.swf", policies=["mix-fit", max], loads=[0.8], seed=0, store="")
    assert options.call("compare") == "loadmaster.compare('log.swf', policies=['mix-fit', max], loads=[0.8])"


def test_a_call_has_its_argument_first_in_whatever_order_it_was_given():
    assert CompareOptions(loads=[0.8], trace="log.swf").call("compare") == "loadmaster.compare('log.swf', loads=[0.8])"
