"""How Slurm prints tables: with bars, with commas, in columns of fixed width, or separated by blanks."""

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

from loadmaster.model import InputError
from loadmaster.traces.files import Progress, blocks, checked_text, head_of
from loadmaster.traces.rejects import Line
from loadmaster.traces.text_table import MOST_COLUMNS, TextRows, batches

Header = Callable[[list[str]], tuple[list[str], bool]]
"""Given the cells of the first line, the names of the columns and whether that line is a header."""
_BLOCK = 1 << 23
_WITH_COMMAS = re.compile(r"tres.*|gresdetail|nodelist|submitline|jobname|constraints|dependency|partition")
_PAIRS = r"(?:[^,=]*=[^,]*(?:,[^,=]+=[^,]*)*)?"
_NODES = r"[^,\[]*(?:\[[^\]]*\])?[^,\[]*(?:,[^,\[]*(?:\[[^\]]*\])?[^,\[]*)*?"
_FREE = frozenset(
    ("jobname", "submitline", "constraints", "comment", "admincomment", "systemcomment", "workdir", "extra")
)
"""Columns of `sacct` in which a user may write a bar."""
_TIME = r"[0-9][0-9TZ:.+-]*|[A-Za-z_/]*"
_SHAPES = {
    r"[0-9][^|]*": ("jobid", "jobidraw"),
    _TIME: ("submit", "start", "end", "eligible", "elapsed", "timelimit"),
    r"[A-Z][A-Z_]*(?: by [^|]*)?\+?": ("state",),
    r"[0-9]*": ("nnodes", "ncpus", "reqcpus", "alloccpus", "priority", "restarts", "uid", "gid", "elapsedraw"),
    r"[0-9.]*[KMGTP]?[nc]?": ("reqmem",),
    r"(?:[^|=]*=[^|]*)?": ("reqtres", "alloctres"),
}
"""How cells look between which a cell that holds bars is recognised."""
_SHAPE = {name: shape for shape, names in _SHAPES.items() for name in names}
_CLUSTER = re.compile(r"CLUSTER: (\S+)\s*")
"""What `squeue -M` prints above the table of each cluster."""
_DASHES = re.compile(r"\s*-+(\s+-+)*\s*")
_CUT = r"(?:^|,)[^,]*=[^,]*\+$"
_TELLING_WORDS = (
    "jobid jobidraw elapsed elapsedraw timelimitraw reqcpus ncpus alloccpus reqtres alloctres nnodes timelimit state "
    "time_limit cpus nodes st reqmem min_memory"
)
_TELLING = frozenset(_TELLING_WORDS.split())
_JSON = re.compile(r'"jobs"\s*:\s*\[\s*\{')


def is_slurm(line: str) -> bool:
    """Whether `line` names columns as `sacct` or `squeue` do.

    Example:
        >>> is_slurm("JobID Submit Elapsed NCPUS"), is_slurm("submit_s,runtime_s,cores")
        (True, False)
    """
    names = set(re.split(r"[\s,|]+", line.strip().lower()))
    return bool(names & {"submit", "submit_time"}) and len(names & _TELLING) >= 2


def is_slurm_shown(text: str) -> bool:
    """Whether a text begins as `scontrol show job` prints one."""
    return text.startswith("JobId=") and " JobName=" in text and "JobState=" in text


def is_slurm_json(text: str) -> bool:
    """Whether a document begins as `sacct --json` or `squeue --json` print one."""
    return text.lstrip().startswith("{") and '"job_id"' in text and bool(_JSON.search(text))


class LineLayout(NamedTuple):
    """How the cells of a line are told apart: `split` by a pattern with a group a column, or `spans` of characters.

    Where every cluster has a table of its own, each begins with the line `header`.
    """

    skip: int
    pattern: str = ""
    spans: tuple[tuple[int, int | None], ...] = ()
    cut: bool = False
    header: str | None = None


def slurm_batches(path: Path, header: Header, progress: Progress | None = None) -> Iterator[TextRows]:
    """The rows of a table that Slurm printed, every cell as text, in the layout that its first lines show.

    Rows of several clusters, each with a table of its own as `squeue -M` prints them, have a column `cluster`.

    Raises:
        InputError: it cannot be read, or is no such table.
    """
    lines = [line for line in _top(path) if line.strip() and not line.startswith("#")]
    several = bool(lines) and _CLUSTER.fullmatch(lines[0]) is not None
    lines = [line for line in lines if not _CLUSTER.fullmatch(line)]
    first = lines[0] if lines else ""
    bars = first.count("|") >= 3
    if bars and not several:
        yield from batches(path, header, "|", quote=None, progress=progress, mend=cells_with_bars)
        return
    if first.count(",") >= 3 and '"' in first + "".join(lines[1:2]):
        yield from batches(path, header, ",", progress=progress)
        return
    if bars:
        names, is_header = header(first.split("|"))
        layout = LineLayout(int(is_header), pattern="^" + r"\|".join(["([^|]*)"] * len(names)) + "$")
    elif first.count(",") >= 3:
        names, is_header = header(first.split(","))
        layout = LineLayout(int(is_header), pattern=_with_commas(names))
    elif len(lines) > 1 and _DASHES.fullmatch(lines[1]):
        spans = tuple((match.start(), match.end()) for match in re.finditer(r"-+", lines[1]))
        names, _ = header([first[start:end] for start, end in spans])
        layout = LineLayout(2, spans=spans, cut=True)
    else:
        names, is_header = header(first.split())
        layout = _blank(first, lines[1:], int(is_header))
    if len(names) > MOST_COLUMNS:
        raise InputError(f"{len(names):,} columns", "no table of jobs is so wide", where=str(path))
    yield from _batches(path, names, layout._replace(skip=0, header=first) if several else layout, progress)


def cells_with_bars(lines: pl.Series, names: Sequence[str]) -> pl.DataFrame:
    """The cells of lines with too many bars, of which names and commands of users hold some.

    All are null in a line whose cells may be told in several ways, or in none.

    Example:
        >>> cells_with_bars(pl.Series(["31|a|b|eve|8"]), ["jobid", "jobname", "user", "ncpus"]).row(0)
        ('31', 'a|b', 'eve', '8')
    """
    early, late = (
        lines.str.extract_groups("^" + r"\|".join(_cell(name, free) for name in names) + "$").struct.unnest()
        for free in ("(.*?)", "(.*)")
    )
    one_way = early.select(pl.all_horizontal(*(early[name] == late[name] for name in early.columns))).to_series()
    sure = one_way.fill_null(value=False)
    cells = (early[name].replace("", None).set(~sure, None) for name in early.columns)
    return pl.DataFrame(dict(zip(names, cells, strict=True)))


def _cell(name: str, free: str) -> str:
    return free if name in _FREE else f"({_SHAPE.get(name, '[^|]*')})"


def _top(path: Path) -> list[str]:
    return checked_text(path, head_of(path)).decode("utf-8", "replace").splitlines()


def _with_commas(names: list[str]) -> str:
    """A pattern of a line with commas, which also stand inside some cells: lists of nodes, counts of resources."""
    parts = []
    for name in names:
        if name.endswith("tres"):
            parts.append(f"({_PAIRS})")
        elif name == "nodelist":
            parts.append(f"({_NODES})")
        else:
            parts.append("(.*?)" if _WITH_COMMAS.fullmatch(name) else "([^,]*)")
    return f"^{','.join(parts)},?$"


def _blank(first: str, rest: list[str], skip: int) -> LineLayout:
    """Columns where all names begin, if in all lines seen a cell begins there, as `squeue -O` prints; else blanks."""
    starts = [match.start() for match in re.finditer(r"\S+", first)]
    shown = rest[:50]
    aligned = all(line[start] != " " for line in shown for start in starts if start < len(line))
    if shown and aligned:
        return LineLayout(skip, spans=tuple(zip(starts, [*starts[1:], None], strict=True)))
    return LineLayout(skip, pattern=r"^\s*" + r"\s+".join([r"(\S+)"] * len(starts)) + r"\s*$")


def _batches(path: Path, names: list[str], layout: LineLayout, progress: Progress | None) -> Iterator[TextRows]:
    before, skip, clusters = 0, layout.skip, [""]
    for text in blocks(path, _BLOCK, progress):
        raw = text.decode("utf-8", "replace").split("\n")[:-1]
        number = np.arange(before + 1, before + 1 + len(raw))
        before += len(raw)
        wanted = [row for row, line in enumerate(raw) if line.strip() and not line.startswith("#")]
        if layout.header is not None:
            wanted, clusters = _of_clusters(raw, wanted, layout.header, clusters[-1])
        skipped = min(skip, len(wanted))
        wanted, skip = wanted[skipped:], skip - skipped
        if not wanted:
            continue
        lines = pl.Series([raw[row].rstrip("\r") for row in wanted], dtype=pl.String)
        frame, odd = _cells(lines, names, layout)
        if layout.header is not None:
            frame = frame.with_columns(pl.Series("cluster", clusters[:-1]))

        def locate(row: int, lines: pl.Series = lines, numbers: np.ndarray = number[wanted]) -> Line:
            return Line(int(numbers[row]), str(lines[row])[:400])

        yield TextRows(frame, number[wanted], odd, locate)


def _of_clusters(raw: list[str], rows: list[int], header: str, cluster: str) -> tuple[list[int], list[str]]:
    """The lines of jobs, and their clusters, then the cluster at the end; `cluster` is that of the lines before."""
    jobs, clusters = [], []
    for row in rows:
        if match := _CLUSTER.fullmatch(raw[row]):
            cluster = match[1]
        elif raw[row].rstrip() != header.rstrip():
            jobs.append(row)
            clusters.append(cluster)
    return jobs, [*clusters, cluster]


def _cells(lines: pl.Series, names: list[str], layout: LineLayout) -> tuple[pl.DataFrame, np.ndarray]:
    """The cells, null where empty, and which lines do not have the columns of the header."""
    if layout.spans:
        cut = [
            lines.str.slice(start, None if end is None else end - start).str.strip_chars()
            for start, end in layout.spans
        ]
        cells = [cell.str.replace(_CUT, "") if layout.cut else cell for cell in cut]
        odd = np.zeros(len(lines), dtype=bool)
    else:
        groups = lines.str.extract_groups(layout.pattern).struct.unnest()
        cells = [groups[name] for name in groups.columns]
        odd = groups[groups.columns[0]].is_null().to_numpy()
    columns = {name: cell.replace("", None) for name, cell in zip(names, cells, strict=True)}
    return pl.DataFrame(columns), odd
