"""What Typer would convert, and what is taken as it was typed."""

from pathlib import Path
from typing import Annotated, Literal

import pytest
import typer
import typer.main

from loadmaster.cli.as_typed import taking_words_as_they_are

SEEN = {}


def _told(value):
    return f"{value}!"


def _verb(
    log: Path,
    out: Path | None = None,
    word: Annotated[str, typer.Option(callback=_told)] = "plain",
    spread: Literal["auto", "any"] = "auto",
    limit: Annotated[int | None, typer.Option(min=1)] = None,
    hosts: Annotated[list[str] | None, typer.Option()] = None,
    check: bool = False,
):
    SEEN.update(log=log, out=out, word=word, spread=spread, limit=limit, hosts=hosts, check=check)


def _as_seen(arguments, *, converting):
    app = typer.Typer()
    app.command()(_verb)
    command = typer.main.get_command(app)
    if not converting:
        taking_words_as_they_are(command)
    SEEN.clear()
    command(arguments, standalone_mode=False)
    return dict(SEEN)


@pytest.mark.parametrize(
    "arguments",
    [
        ["a.swf"], ["a.swf", "--out", "there", "--word", "one two", "--spread", "any"], ["a.swf", "--limit", "3"],
        ["a.swf", "--hosts", "4x8c", "--hosts", "2x8c", "--check"], ["\udce9.swf", "--word", ""],
    ],
)  # fmt: skip
def test_a_verb_gets_the_same_values_as_by_typers_own_conversion(arguments):
    assert _as_seen(arguments, converting=False) == _as_seen(arguments, converting=True)


@pytest.mark.parametrize(
    "arguments", [["a.swf", "--limit", "x"], ["a.swf", "--limit", "0"], ["a.swf", "--spread", "anyhow"], []]
)
def test_what_typer_refuses_is_refused_in_the_same_words(arguments):
    said = []
    for converting in (True, False):
        with pytest.raises(Exception) as refusal:
            _as_seen(arguments, converting=converting)
        said.append(refusal.value.format_message())
    assert said[0] == said[1]
    assert said[0]
