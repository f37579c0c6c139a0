"""The rows of a comparison as a Parquet file, for whoever goes on with them."""

from pathlib import Path

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
    """A row a run and group, by everything that the log knows of its jobs."""
    rows = [
        {**rule_document(outcome.setting), "load": outcome.load, **row}
        for outcome in comparison.outcomes
        for groups in outcome.beside.groups
        for row in groups.rows()
    ]
    with whole_file(path) as part:
        pl.DataFrame(rows, infer_schema_length=None).write_parquet(part)


def summary_frame(comparison: Comparison) -> pl.DataFrame:
    """What really happened, where known, and a row a run: all that `--json` gives, a column a resource, the setting."""
    rows = []
    for outcome in comparison.outcomes:
        row = run_row(comparison, outcome)
        for name, part in row.pop("utilization").items():
            row[f"utilization_{name}"] = part
        for name, part in outcome.stranded.items():
            row[f"stranded_{name}"] = part
        own = row.pop("metrics")
        row |= {name: value for name, value in own.items() if name not in row}
        for name, difference in (row.pop("differences") or {}).items():
            row |= {f"{name}_{key}": difference[key] for key in ("difference", "low", "high")}
        row["max_queue_length"] = outcome.metrics.max_queue_length
        row["little_error"] = outcome.metrics.little_error
        row.pop("never_run", None)
        row |= {name: value for name, value in vars(outcome.losses).items() if name != "never_run"}
        for reason, count in outcome.losses.never_run.items():
            row[f"never_run_{reason}"] = count
        for member, part in row.pop("chosen", {}).items():
            row[f"chosen_{member}"] = part
        setting = outcome.setting
        row |= {"beta": setting.beta, "seed": setting.seed, "interval_s": setting.interval_s}
        rows.append(row)
    recorded = [] if comparison.recorded is None else [recorded_row(comparison)]
    if recorded and comparison.on_hosts is not None:
        recorded[0] |= {f"stranded_{name}": part for name, part in comparison.on_hosts.stranded.items()}
    for row in reversed([*recorded, *possible_rows(comparison)]):
        for name, part in (row.pop("utilization") or {}).items():
            row[f"utilization_{name}"] = part
        rows.insert(0, row)
    return pl.DataFrame(rows, infer_schema_length=None)
