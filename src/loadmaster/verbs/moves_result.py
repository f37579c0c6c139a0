"""The part that all results with moves have in common: the moves as a table, and as moves.csv."""

from abc import abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loadmaster.verbs.result import Result

if TYPE_CHECKING:
    import polars as pl


class MovesResult(Result):
    """A result whose figures have `moves`."""

    @property
    @abstractmethod
    def figures(self) -> dict[str, Any]:
        """The plan as plain values."""

    @property
    def frame(self) -> "pl.DataFrame":
        """A row for each move, in order: step, task, from, to, cost (bytes, or 1), whether the place is temporary.

        On NUMA nodes also those that the task takes on arrival, separated by spaces.
        """
        import polars as pl

        columns = {
            "step": pl.Int64,
            "task": pl.String,
            "from": pl.String,
            "to": pl.String,
            "cost": pl.Float64,
            "temporary": pl.Boolean,
        }
        rows = self.figures["moves"]
        if rows and "on_numa_nodes" in rows[0]:
            columns["on_numa_nodes"] = pl.String
            rows = [row | {"on_numa_nodes": " ".join(map(str, row["on_numa_nodes"]))} for row in rows]
        return pl.DataFrame(rows, schema=columns)

    def write_tables(self, folder: Path) -> None:
        """Write moves.csv."""
        from loadmaster.system.whole_file import whole_file
        from loadmaster.traces.spreadsheet import harmless

        with whole_file(folder / "moves.csv") as part:
            harmless(self.frame).write_csv(part)
