"""CSV and Parquet job tables with named columns: our own interchange form, and the way in for a log of one's own."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from loadmaster.traces.amount_columns import notes_on_memory
from loadmaster.traces.files import head_of
from loadmaster.traces.job_columns import ColumnLayout
from loadmaster.traces.options import ReadOptions
from loadmaster.traces.parquet import parquet_table
from loadmaster.traces.recipe import LABEL, Recipe
from loadmaster.traces.rejects import Line, Locate, Rejects
from loadmaster.traces.spreadsheet import as_named
from loadmaster.traces.tabular import RAGGED, RowTable, read_table
from loadmaster.traces.text_table import batches, comments_of
from loadmaster.traces.trace import Trace
from loadmaster.traces.unsupported_files import refuse_document
from loadmaster.traces.whole_table import column_names


def read_csv(path: str | Path, options: ReadOptions = ReadOptions()) -> Trace:
    """Read a CSV job table, plain or gzip.

    Raises:
        InputError: an unknown or missing column, no job, or (`options.strict`) a bad row.
    """
    path = Path(path)
    head = head_of(path)
    refuse_document(path, head)
    about = comments_of(head)
    layout: list[ColumnLayout] = []

    def header(cells: list[str]) -> tuple[list[str], bool]:
        layout.append(ColumnLayout(path, column_names(path, cells), options))
        return layout[0].names, True

    def tables() -> Iterator[tuple[RowTable, Locate]]:
        for batch in batches(path, header, progress=options.progress):
            texts = [name for name in layout[0].texts if name in batch.frame.columns]
            table = layout[0].table(batch.frame.with_columns(as_named(batch.frame[name]) for name in texts))
            yield table._replace(checks=[(RAGGED, batch.ragged), *table.checks]), batch.locate

    return _trace(path, options, tables(), about, layout)


def read_parquet(path: str | Path, options: ReadOptions = ReadOptions()) -> Trace:
    """Read a Parquet job table.

    Raises:
        InputError: not Parquet, an unknown or missing column, no job, or (`options.strict`) a bad row.
    """
    path = Path(path)
    frame, about = parquet_table(path)
    layout = [ColumnLayout(path, frame.columns, options)]

    def locate(row: int) -> Line:
        return Line(row + 1, ",".join("" if cell is None else str(cell) for cell in frame.row(row)))

    def tables() -> Iterator[tuple[RowTable, Locate]]:
        if frame.height:
            yield layout[0].table(frame), locate

    return _trace(path, options, tables(), about, layout)


def _trace(
    path: Path,
    options: ReadOptions,
    tables: Iterator[tuple[RowTable, Locate]],
    about: Mapping[str, str],
    layout: list[ColumnLayout],
) -> Trace:
    rejects = Rejects(path, strict=options.strict)
    source = about.get("synthetic")
    read = read_table(
        tables,
        rejects,
        options.limit,
        f"{source} ({path.name})" if source else path.name,
        synthetic=source is not None,
        constraints=lambda columns, rows: layout[0].constraints(columns, rows),
        all_fields=options.all_fields,
        ran_on=lambda: layout[0].ran_on.names,
    )
    memory = notes_on_memory("tasks", layout[0].most_plain_memory)
    notes = (*layout[0].notes, *layout[0].note_on_identifiers(), *layout[0].bound.notes, *memory)
    return Trace(
        read.workload,
        None,
        rejects.skipped,
        notes,
        about,
        read.extra,
        recipe=Recipe.of(about.get(LABEL)),
    )
