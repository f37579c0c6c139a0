"""The footer of every page: how its content was made."""

from collections.abc import Mapping

from loadmaster.report.page import Block, Facts, Heading
from loadmaster.system.build import shown_version


def page_footer(facts: Mapping[str, object]) -> list[Block]:
    """Names and values, those that are empty or None left out, and the version.

    Example:
        >>> page_footer({"seed": 0, "unknown": None})[1].values["seed"]
        '0'
    """
    shown = {name: str(value) for name, value in facts.items() if value is not None and value != ""}
    return [Heading("How this was made"), Facts({**shown, "version": shown_version()})]
