"""The cross-paper matrix: every packer and placement rule of the five papers on one static set and one stream."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from loadmaster.model.arrays import Bools, Floats
from loadmaster.model.units import percent
from loadmaster.papers import StudyOptions
from loadmaster.papers.claim import Claim, Reproduction, Verdict, exceeds
from loadmaster.papers.estimate import Estimate, mean_of, reduction
from loadmaster.papers.matrix.study import (
    MEASURES,
    META,
    PACKERS,
    PLACEMENT,
    QUICK,
    STATIC,
    STREAM,
    MatrixRow,
    MatrixSize,
    rows,
)
from loadmaster.report.page import Block, Heading, Table
from loadmaster.report.progress import bar
from loadmaster.system.whole_file import whole_file

if TYPE_CHECKING:
    import polars as pl

FEWEST_RUNS = 5
"""Of fewer runs no ordering is judged."""
TITLE = "All packers and placement rules of the five papers on one static set and one stream"
NOTES = (
    "Both sets are synthetic: virtual clusters after Casanova 2008, and a stream after the NetBatch log of Shai 2014.",
    "Packers have no meaning for a stream, and Max-Jobs has none for a whole set. No rule here moves a task that runs.",
    "Silva 2008 chooses how many machines to rent, and Delgado 2011 places coupled jobs on virtual machines: neither "
    "has a rule for these sets.",
    "Yields are means over the instances of which every rule places all tasks; the other columns over all instances.",
)


def reproduce(options: StudyOptions) -> Reproduction:
    """The matrix, and four orderings that the papers claim of their own rules, on these sets."""
    return reproduce_with(options, QUICK if options.quick else MatrixSize())


def reproduce_with(options: StudyOptions, size: MatrixSize) -> Reproduction:
    """As `reproduce`, at another size."""
    count = 2 * len(PLACEMENT) + len(PACKERS) + len(META)
    with bar("rules", count, "rules", options.watch) as advance:
        matrix = rows(size, options.seed, options.out / "matrix-records", advance, options.on)
    folder = options.out / "matrix"
    folder.mkdir(parents=True, exist_ok=True)
    with whole_file(folder / "matrix.csv") as part:
        frame(matrix).write_csv(part)
    return Reproduction("matrix", TITLE, _claims(matrix), _blocks(matrix), NOTES)


def frame(matrix: Sequence[MatrixRow]) -> "pl.DataFrame":
    """A row for each rule and set: rule, paper, set, runs, and the mean of each measure; null where it has none."""
    import polars as pl

    common = _placed_by_all(matrix)
    return pl.DataFrame(
        [
            {"rule": row.rule, "paper": row.paper, "set": row.set_name, "runs": len(row.values)}
            | {name: _mean(row, name, common) for name in MEASURES}
            for row in matrix
        ],
        infer_schema_length=None,
    )


def _placed_by_all(matrix: Sequence[MatrixRow]) -> Bools:
    """bool[N], the instances of the static set of which every rule places all tasks."""
    placed = [row.values[:, MEASURES.index("placed")] == 1.0 for row in matrix if row.set_name == STATIC]
    common: Bools = np.all(placed, axis=0)
    return common


def _mean(row: MatrixRow, name: str, common: Bools) -> float | None:
    values = row.values[:, MEASURES.index(name)]
    if name in ("min_yield", "mean_yield") and row.set_name == STATIC:
        values = values[common]
    return None if not len(values) or np.isnan(values).any() else float(values.mean())


def _column(matrix: Sequence[MatrixRow], set_name: str, rule: str, name: str) -> Floats:
    row = next(row for row in matrix if (row.set_name, row.rule) == (set_name, rule))
    return np.asarray(row.values[:, MEASURES.index(name)])


def _claims(matrix: Sequence[MatrixRow]) -> list[Claim]:
    common = _placed_by_all(matrix)

    def yields(rule: str) -> Floats:
        return _column(matrix, STATIC, rule, "min_yield")[common]

    def waits(rule: str) -> Floats:
        return _column(matrix, STREAM, rule, "mean_wait_s")

    others = [rule for rule in (*PACKERS, *PLACEMENT) if not rule.startswith("mcb")]
    runner_up = max(others, key=lambda rule: float(yields(rule).mean()) if common.any() else 0.0)
    single = min(PLACEMENT, key=lambda rule: float(waits(rule).mean()))
    return [
        _ordering(
            "Casanova 2008",
            f"MCB8's least yield is above that of {runner_up}, the best rule beside MCB",
            mean_of(yields("mcb8") - yields(runner_up)),
            4,
        ),
        _ordering(
            "Casanova 2008",
            "MCB8's least yield is above that of the sorted greedy (SG)",
            mean_of(yields("mcb8") - yields("sg")),
            4,
        ),
        _reduces(
            "Shai 2014", f"Max-Jobs waits less than {single}, the best single rule", waits("max-jobs"), waits(single)
        ),
        _reduces("Shai 2014", "Mix-Fit waits less than Worse-Fit-Cores", waits("mix-fit"), waits("worse-fit-cores")),
        _reduces(
            "Amir 2000", "opportunity cost waits less than round robin", waits("opportunity-cost"), waits("round-robin")
        ),
    ]


def _ordering(where: str, claim: str, difference: Estimate, digits: int) -> Claim:
    return Claim(where, claim, "higher", difference.show(digits), _judged(difference), "above 0", difference.n)


def _reduces(where: str, claim: str, ours: Floats, theirs: Floats) -> Claim:
    lower = reduction(ours, theirs)
    return Claim(where, claim, "shorter", f"{lower.percent()} shorter", _judged(lower), "above 0", lower.n)


def _judged(estimate: Estimate) -> Verdict:
    """Whether it is above 0; a few runs are reported only."""
    return exceeds(estimate) if estimate.n >= FEWEST_RUNS else "report only"


_SHOWN = {
    "placed": ("tasks placed", ""), "min_yield": ("min yield", "{:.4f}"), "mean_yield": ("mean yield", "{:.4f}"),
    "hosts_used": ("hosts", "{:.1f}"), "stranded_cores": ("cores stranded", ""),
    "stranded_memory": ("memory stranded", ""), "mean_wait_s": ("mean wait, s", "{:,.0f}"),
    "mean_bounded_slowdown": ("bounded slowdown", "{:,.2f}"), "utilization_cores": ("cores used", ""),
    "moves": ("moves", "{:.0f}"),
}  # fmt: skip


def _shown(value: float | None, form: str) -> str:
    """A number by its form, a part in percent where there is no form."""
    if value is None:
        return "-"
    return form.format(value) if form else percent(value, 1)


def table_of(matrix: "pl.DataFrame") -> tuple[tuple[str, ...], list[list[str]]]:
    """The heads and the cells of the table that people read, from the rows of `matrix.csv`."""
    cells = [
        [row["rule"], row["set"], row["paper"] or "-"] + [_shown(row[name], form) for name, (_, form) in _SHOWN.items()]
        for row in matrix.to_dicts()
    ]
    return ("rule", "set", "paper", *(head for head, _ in _SHOWN.values())), cells


def _blocks(matrix: Sequence[MatrixRow]) -> list[Block]:
    heads, cells = table_of(frame(matrix))
    caption = (
        "A line a rule and set; - where a measure has no meaning for it. Stranded: what is free of a resource on hosts "
        "where another one is used more, as a part of all. matrix.csv has the same numbers."
    )
    return [Heading("The matrix"), Table(heads, cells, caption)]
