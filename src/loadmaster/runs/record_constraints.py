"""Constraints in a record: columns of the table of jobs, and the site's rules as JSON."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import polars as pl
from pydantic import TypeAdapter

from loadmaster.model import Constraints, Dependencies, Named, SiteRules
from loadmaster.traces.constraint_columns import NAMED

_RULES = TypeAdapter(SiteRules)
_TEXTS = (*NAMED, "depends", "user_names", "account_names")
_PLAIN = tuple(field.name for field in fields(Constraints) if field.name not in _TEXTS)


def constraint_columns(constraints: Constraints | None) -> dict[str, Any]:
    """The columns that are there, by their names in the table; names and dependencies as text."""
    columns: dict[str, Any] = {}
    for name, column in () if constraints is None else constraints.columns():
        if isinstance(column, Named):
            columns[name] = pl.Series(column.words(), dtype=pl.String)
        elif isinstance(column, Dependencies):
            columns[name] = pl.Series([column.text(job) for job in range(len(column))], dtype=pl.String)
        else:
            columns[name] = column
    return columns


def names_of(constraints: Constraints | None) -> dict[str, list[str]]:
    """Names behind the numbers of users and accounts, as JSON takes them; {} where there are none."""
    if constraints is None:
        return {}
    lists = {"user": list(constraints.user_names), "account": list(constraints.account_names)}
    return {name: names for name, names in lists.items() if names}


def constraints_in(jobs: pl.DataFrame, names: Mapping[str, list[str]]) -> Constraints | None:
    """The constraints that a table of jobs holds; None if it has no such column."""
    columns: dict[str, Any] = {name: jobs[name].to_numpy() for name in _PLAIN if name in jobs}
    columns |= {name: Named.of(jobs[name]) for name in NAMED if name in jobs}
    if "depends" in jobs:
        columns["depends"] = Dependencies.of(jobs["depends"])
    if not columns:
        return None
    users, accounts = (tuple(names.get(key, ())) for key in ("user", "account"))
    return Constraints(**columns, user_names=users, account_names=accounts)


def rules_as_json(rules: SiteRules | None) -> Any:
    """The site's rules as JSON takes them."""
    return None if rules is None else _RULES.dump_python(rules, mode="json", exclude_defaults=True)


def rules_from_json(plain: Any) -> SiteRules | None:
    """The rules that `rules_as_json` wrote.

    Raises:
        ValueError: they are none.
    """
    return None if plain is None else _RULES.validate_python(plain)
