"""The rows of a comparison as a Parquet file, for whoever goes on with them."""

from pathlib import Path

import polars as pl

from loadmaster.report.comparison import Comparison
from loadmaster.whole_file import whole_file


def write_summary(path: Path, comparison: Comparison) -> None:
    """One row a run: all that `--json` gives, one column a resource, and the setting."""
    rows = []
    for outcome in comparison.outcomes:
        row = outcome.row()
        for name, part in row.pop("utilization").items():
            row[f"utilization_{name}"] = part
        for name, part in outcome.stranded.items():
            row[f"stranded_{name}"] = part
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
    with whole_file(path) as part:
        pl.DataFrame(rows, infer_schema_length=None).write_parquet(part)
