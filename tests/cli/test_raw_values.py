"""What Typer would convert, and what is taken as it was typed."""

from pathlib import Path
from typing import Annotated, Literal

import pytest
import typer
import typer.main

from loadmaster.cli.raw_values import taking_words_as_they_are

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
    load: Annotated[float, typer.Option(min=0.1, max=2)] = 1.0,
):
    SEEN.update(log=log, out=out, word=word, spread=spread, limit=limit, hosts=hosts, check=check, load=load)


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
        ["a.swf", "--limit", "007", "--load", "0.85"], ["a.swf", "--load", "1"], ["a.swf", "--load", "1e-1"],
        ["a.swf", "--load", ".5", "--no-check"], ["a.swf", "--limit", "12345678901234567890"],
        ["a.swf", "--limit", "3.0"],
        ["a.swf", "--hosts", "4x8c", "--hosts", "2x8c", "--check"], ["\udce9.swf", "--word", ""],
    ],
)  # fmt: skip
def test_a_verb_gets_the_same_values_as_by_typers_own_conversion(arguments):
    plain, converted = (_as_seen(arguments, converting=converting) for converting in (False, True))
    assert plain == converted
    assert list(map(type, plain.values())) == list(map(type, converted.values()))


@pytest.mark.parametrize(
    "arguments",
    [
        ["a.swf", "--limit", "x"], ["a.swf", "--limit", "0"], ["a.swf", "--limit", "-3"], ["a.swf", "--limit", "3.5"],
        ["a.swf", "--load", "0.09"], ["a.swf", "--load", "2.5"], ["a.swf", "--load", "nan"],
        ["a.swf", "--spread", "anyhow"], [],
    ],
)  # fmt: skip
def test_what_typer_refuses_is_refused_in_the_same_words(arguments):
    said = []
    for converting in (True, False):
        with pytest.raises(Exception) as refusal:
            _as_seen(arguments, converting=converting)
        said.append(refusal.value.format_message())
    assert said[0] == said[1]
    assert said[0]
