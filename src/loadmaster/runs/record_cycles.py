"""Cycles of a run as tables of its record, and whom a meta-rule followed in them."""

from collections.abc import Mapping

import numpy as np
import polars as pl

from loadmaster.model import Choices, Cycles

_COLUMNS = ("time_s", "queue_length", "started", "winners")


def cycles_tables(cycles: Cycles) -> dict[str, pl.DataFrame]:
    """`cycles` by the names of files; `cycles_in` reads them back."""
    table = pl.DataFrame({name: getattr(cycles, name) for name in _COLUMNS})
    choices = cycles.choices
    if choices is None:
        return {"cycles.parquet": table}
    names = pl.Series(choices.members, dtype=pl.String)
    followed = pl.Series([None if member < 0 else member for member in choices.chosen.tolist()], dtype=pl.Int64)
    differing: dict[str, pl.Series] = {
        "cycle": pl.Series(choices.cycle),
        "time_s": pl.Series(cycles.time_s[choices.cycle]),
    }
    for member, value in zip(choices.members, choices.value.T, strict=True):
        differing[f"value_{member}"] = pl.Series(np.ascontiguousarray(value)).fill_nan(None)
    return {
        "cycles.parquet": table.with_columns(chosen=names.gather(followed)),
        "choices.parquet": pl.DataFrame(differing),
    }


def cycles_in(tables: Mapping[str, pl.DataFrame], members: tuple[str, ...]) -> Cycles:
    """The cycles of a record, whose meta-rule has `members`, () without one."""
    table = tables["cycles"]
    time_s, queue_length, started, winners = (table[name].to_numpy() for name in _COLUMNS)
    choices = None
    if members:
        number = {member: float(row) for row, member in enumerate(members)}
        chosen = table["chosen"].replace_strict(number, default=-1.0, return_dtype=pl.Float64).fill_null(-1.0)
        differing = tables["choices"]
        value = [differing[f"value_{member}"].cast(pl.Float64).fill_null(np.nan).to_numpy() for member in members]
        choices = Choices(members, chosen.to_numpy().astype(np.int32), differing["cycle"].to_numpy(), np.array(value).T)
    return Cycles(time_s, queue_length, started, winners, choices)
