"""The rows of a comparison as a Parquet file, for other programs."""

from pathlib import Path
from typing import Any

import polars as pl

from loadmaster.report.compare_document import run_row
from loadmaster.report.comparison import Comparison
from loadmaster.report.machines_claims import rule_document
from loadmaster.report.possible_claims import possible_rows
from loadmaster.report.record_claims import recorded_row
from loadmaster.system.whole_file import whole_file


def write_summary(path: Path, comparison: Comparison) -> None:
    """Write `summary_frame`."""
    with whole_file(path) as part:
        summary_frame(comparison).write_parquet(part)


def write_groups(path: Path, comparison: Comparison) -> None:
    """A row for each run and group, by everything that the log knows of its jobs."""
    rows = [
        {**rule_document(outcome.setting), "load": outcome.load, **row}
        for outcome in comparison.outcomes
        for groups in outcome.beside.groups
        for row in groups.rows()
    ]
    with whole_file(path) as part:
        pl.DataFrame(rows, infer_schema_length=None).write_parquet(part)


def summary_frame(comparison: Comparison) -> pl.DataFrame:
    """The record, if known, and a row for each run: all that `--json` gives, columns for resources, the setting."""
    rows = [] if comparison.recorded is None else [recorded_row(comparison)]
    if rows and comparison.on_hosts is not None:
        rows[0] |= {f"stranded_{name}": part for name, part in comparison.on_hosts.stranded.items()}
    rows += possible_rows(comparison)
    for outcome in comparison.outcomes:
        row = run_row(comparison, outcome)
        for name, difference in (row.pop("differences") or {}).items():
            row |= {f"{name}_{key}": difference[key] for key in ("difference", "low", "high")}
        row |= {f"stranded_{name}": part for name, part in outcome.stranded.items()}
        row |= {"max_queue_length": outcome.metrics.max_queue_length, "little_error": outcome.metrics.little_error}
        row |= {f"never_run_{reason}": count for reason, count in row.pop("never_run", {}).items()}
        row |= {f"chosen_{member}": part for member, part in row.pop("chosen", {}).items()}
        setting = outcome.setting
        rows.append(row | {"beta": setting.beta, "seed": setting.seed, "interval_s": setting.interval_s})
    return pl.DataFrame([_flat(row) for row in rows], infer_schema_length=None)


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    """The row with a column for each metric; `utilization` is one for each resource there."""
    metrics = row.pop("metrics")
    del row["utilization"]
    return row | {name: value for name, value in metrics.items() if name not in row}
