"""Columns of constraints that a reader collects batch by batch: codes of names. Empty columns are dropped."""

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from loadmaster.model import Constraints, Dependencies, InputError
from loadmaster.model.arrays import Bools, Floats, Ints
from loadmaster.model.constraints import COLUMNS
from loadmaster.model.dependencies import parse_dependency
from loadmaster.model.features import host_terms, parse_features, with_terms
from loadmaster.model.gres import models_asked, with_models
from loadmaster.model.licences import parse_licences
from loadmaster.model.name_column import Named
from loadmaster.system.counted import counted
from loadmaster.traces.values import Names

NAMED = tuple(name for name, each in COLUMNS.items() if each.kind is Named)
"""Columns of names."""
DEFAULTS: dict[str, tuple[type, float]] = {
    name: (each.kind, each.nothing) for name, each in COLUMNS.items() if not math.isnan(each.nothing)
}
"""Columns of numbers: their type, and what says nothing."""


class BindingColumns:
    """Names of the columns that bind jobs, and what of them the model has no word for.

    Example:
        >>> bound = BindingColumns()
        >>> columns = {"qos": bound.codes("qos", pl.Series(["high", None])), "nice": np.zeros(2)}
        >>> bound.constraints(columns, {"submit_s": np.zeros(2)}).given
        ('qos',)
    """

    def __init__(self) -> None:
        self._names = {name: Names() for name in (*NAMED, "depends")}
        self.notes: list[str] = []

    def codes(self, name: str, column: pl.Series) -> Ints:
        """int32[N]: codes of the names (of dependencies: the texts) in one batch of the column."""
        return self._names[name](column)

    def constraints(
        self,
        found: Mapping[str, NDArray[Any]],
        rows: Mapping[str, NDArray[Any]],
        users: tuple[str, ...] = (),
        accounts: tuple[str, ...] = (),
        *,
        recorded: bool = True,
    ) -> Constraints:
        """All that binds J jobs, and `notes` of what does not.

        Args:
            found: columns of all jobs by their names in `Constraints`, those of `NAMED` and `depends` as codes;
                unknown is NaN, or the default. `eligible_s` is on the clock of `submit_s`.
            rows: what else was read of the jobs: `submit_s`, and `estimate_s` if the log has it, float64[J] each.
            users: names behind the numbers of users.
            accounts: names behind the numbers of accounts.
            recorded: `eligible_s` is what accounting wrote down: of jobs that waited for others, when these let them.
        """
        columns: dict[str, Any] = {}
        for name in NAMED:
            if name in found and (found[name] >= 0).any():
                columns[name] = Named(found[name], self._names[name].names)
        for name, (kind, default) in DEFAULTS.items():
            if name in found:
                values: NDArray[Any] = np.where(np.isnan(found[name].astype(np.float64)), default, found[name]).astype(
                    kind
                )
                columns |= {name: values} if (values != default).any() else {}
        if "features" in columns:
            columns["features"] = self._understood("features", columns["features"], parse_features, _models_alone)
        if "licences" in columns:
            columns["licences"] = self._understood("licences", columns["licences"], parse_licences)
        if "depends" in found and (found["depends"] >= 0).any():
            depends = Named(found["depends"], self._names["depends"].names)
            depends = self._understood("dependencies", depends, parse_dependency)
            columns["depends"] = Dependencies.of(depends.words()) if depends.names else None
        if columns.get("depends") is None and "throttle" not in columns:
            columns.pop("array", None), columns.pop("array_task", None)
        if "follows" not in columns:
            columns.pop("think_s", None)
        if "limit_s" in columns and np.array_equal(columns["limit_s"], rows.get("estimate_s", ())):
            del columns["limit_s"]  # the estimate says the same
        if "eligible_s" in found:
            waits = (columns.get("throttle", np.zeros(len(rows["submit_s"]))) > 0) & recorded
            if recorded and columns.get("depends") is not None:
                waits |= np.diff(columns["depends"].first) > 0
            columns["eligible_s"] = _eligible(found["eligible_s"], rows["submit_s"], waits)
        columns = {name: None if isinstance(c, Named) and not c.names else c for name, c in columns.items()}
        return Constraints(**columns, user_names=users, account_names=accounts)

    def _understood(
        self, what: str, column: Named, parse: Callable[[str], Any], rest: Callable[[str], str] = lambda _: ""
    ) -> Named:
        """The column without names that `parse` refuses, or with the rest of them; a note counts the jobs."""
        bad = [code for code, text in enumerate(column.names) if not _parses(text, parse)]
        if not bad:
            return column
        jobs = np.isin(column.code, bad)
        example = column.names[bad[0]][:40]
        self.notes.append(
            f"{counted(jobs.sum(), 'job has', 'jobs have')} {what} that are not modelled, such as {example}."
        )
        if not any(rest(column.names[code]) for code in bad):
            return Named(np.where(jobs, -1, column.code), column.names)
        names = [rest(text) if code in bad else text for code, text in enumerate(column.names)]
        return Named.of([names[code] if code >= 0 else None for code in column.code.tolist()])


def _models_alone(features: str) -> str:
    """Of features that cannot be read the models of GPUs and the names of hosts."""
    return with_terms(with_models("", models_asked(features)), host_terms(features))


def _parses(text: str, parse: Any) -> bool:
    try:
        parse(text)
    except InputError:
        return False
    return True


def _eligible(eligible_s: Floats, submit_s: Floats, waits: Bools) -> Floats | None:
    """float64[J], or None where no job waits for a time: what `waits` for other jobs became eligible by them."""
    eligible_s = np.where(waits, submit_s, np.fmax(eligible_s, submit_s))
    return eligible_s if (eligible_s > submit_s).any() else None
