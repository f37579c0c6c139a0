"""Cycles of a run as tables of its record, and which member a meta-rule followed in them."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from loadmaster.model import Choices, Cycles, StartingState, Workload
from loadmaster.model.arrays import Longs
from loadmaster.model.cards import bits_of, cards_in
from loadmaster.model.schedule import Segments

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


def card_words(cards: Longs) -> pl.Series:
    """The GPUs that each task took, from their bits: "0 3", and "" for none.

    Example:
        >>> card_words(np.array([9, 0])).to_list(), card_bits(pl.Series(["0 3", ""])).tolist()
        (['0 3', ''], [9, 0])
    """
    bits, row = np.unique(cards, return_inverse=True)
    words = pl.Series([" ".join(map(str, cards_in(each))) for each in bits.tolist()], dtype=pl.String)
    return words[row.reshape(-1)]


def card_bits(words: pl.Series) -> Longs:
    """The same back: int64[N]."""
    known = {word: bits_of([int(card) for card in word.split()]) for word in words.unique().to_list()}
    return np.array([known[word] for word in words.to_list()], np.int64)


def segments_table(cut: Segments) -> pl.DataFrame:
    """A row for each task of each segment."""
    row = np.repeat(np.arange(len(cut)), np.diff(cut.first))
    return pl.DataFrame(
        {
            "job": cut.job[row],
            "segment": row,
            "start_s": cut.start_s[row],
            "end_s": cut.end_s[row],
            "lost": cut.lost[row],
            "host": cut.host,
        }
    )


def segments_in(table: pl.DataFrame | None) -> Segments | None:
    """The segments that `segments_table` wrote; None without a table."""
    if table is None:
        return None
    first = np.flatnonzero(np.diff(table["segment"].to_numpy(), prepend=-1))
    job, start_s, end_s, lost = (table[name].to_numpy()[first] for name in ("job", "start_s", "end_s", "lost"))
    return Segments(job, start_s, end_s, lost, np.append(first, len(table)), table["host"].to_numpy())


_TIMES = ("start_s", "expected_end_s", "end_s")


def begins_of(state: StartingState | None) -> dict[str, Any] | None:
    """What `run.json` says of it; None where hosts are empty at first."""
    return None if state is None else {"now_s": state.now_s, "last_host": state.last_host}


def begun_columns(workload: Workload) -> dict[str, Any]:
    """What `jobs.parquet` says of it: hosts and times of the jobs that ran, nothing of any other."""
    state = workload.starting
    if state is None:
        return {}
    tasks = np.split(state.host, np.cumsum(workload.task_count[state.job])[:-1])
    hosts = dict(zip(state.job.tolist(), (each.tolist() for each in tasks), strict=True))
    columns: dict[str, Any] = {
        "begun_on": pl.Series([hosts.get(job) for job in range(workload.jobs)], dtype=pl.List(pl.Int32))
    }
    for name in _TIMES:
        if getattr(state, name) is not None:
            columns[f"begun_{name}"] = np.full(workload.jobs, np.nan)
            columns[f"begun_{name}"][state.job] = getattr(state, name)
    return columns


def starting_in(jobs: pl.DataFrame, begins: Mapping[str, Any] | None) -> StartingState | None:
    """The state that a record holds."""
    if begins is None:
        return None
    job = np.flatnonzero(jobs["begun_on"].is_not_null().to_numpy())
    host = jobs["begun_on"].drop_nulls().explode().to_numpy()
    times: dict[str, Any] = {name: jobs[f"begun_{name}"].to_numpy()[job] for name in _TIMES if f"begun_{name}" in jobs}
    return StartingState(begins["now_s"], job, host=host, last_host=begins["last_host"], **times)
