"""The screens of the workbench as HTML: Jinja2's templates, which escape every text that is put into them."""

import base64
from collections.abc import Mapping
from datetime import datetime
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from starlette.responses import HTMLResponse

from loadmaster.model.units import MEMORY, show_bytes
from loadmaster.report.compressed_assets import part

SCRIPTS = ("workbench.js", "tables.js")
"""Our own, and the one that sorts the tables of every page."""


@cache
def style() -> str:
    """The look of every page of ours, and what only the workbench has."""
    return part("page.css") + text_of("workbench.css")


@cache
def policy() -> str:
    """What a browser may do with our own screens: run our one script and our one style, and ask us alone."""
    digest = base64.b64encode(sha256(style().encode()).digest()).decode()
    return (
        f"default-src 'none'; script-src 'self'; style-src 'sha256-{digest}'; connect-src 'self'; frame-src 'self'; "
        "img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    )


def script(name: str) -> str:
    """The text of the script of that name, one of `SCRIPTS`."""
    return text_of(name) if name == "workbench.js" else part(name)


def text_of(name: str) -> str:
    """A file beside the templates."""
    return (files("loadmaster.workbench") / "static" / name).read_text(encoding="utf-8")


def screen(template: str, values: Mapping[str, Any], status: int = 200) -> HTMLResponse:
    """A screen; `values` are what its template names."""
    return HTMLResponse(rendered(template, values), status)


def rendered(template: str, values: Mapping[str, Any]) -> str:
    """The text of a screen, HTML; `values` are what its template names."""
    return _environment().get_template(template).render(style=style(), **values)


@cache
def _environment() -> Environment:
    places = [PackageLoader("loadmaster.workbench", "templates"), PackageLoader("loadmaster.report", "page_parts")]
    environment = Environment(
        loader=ChoiceLoader(places), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {"moment": _moment, "amount": _amount, "left_out": _left_out}
    return environment


def _amount(value: float, resource: str) -> str:
    return show_bytes(value) if resource == MEMORY else f"{value:g}"


def _left_out(each: Mapping[str, Any]) -> str:
    """What a document says was left out, in words."""
    return f"{each['count']:,}: {each['reason']}"


def _moment(seconds: float) -> str:
    """A time for people, of this machine's clock."""
    return datetime.fromtimestamp(seconds).astimezone().strftime("%Y-%m-%d %H:%M")
