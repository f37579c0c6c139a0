"""A result's table as a file: .csv, .parquet, or .tex for a paper."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from loadmaster.model.errors import InputError
from loadmaster.system.whole_file import whole_file, write_whole

if TYPE_CHECKING:
    import polars as pl

ENDINGS = (".csv", ".parquet", ".tex")
_SPECIAL = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"} | {
    each: f"\\{each}" for each in "&%$#_{}"
}


def check_frame_file(path: Path) -> None:
    """See, before any work is done, that a table can be written there.

    Raises:
        InputError: the name has another ending, or there is no such folder.
    """
    if path.suffix not in ENDINGS:
        raise InputError(path, f"a table is written as one of {', '.join(ENDINGS)}", fix="end its name so")
    if not path.parent.is_dir():
        raise InputError(path, "no such folder for a table", fix="make the folder first")


def write_frame(path: Path, frame: "pl.DataFrame") -> None:
    """Write a table by the ending of `path`; in .csv and .tex a list or a record is one cell, as JSON.

    Raises:
        InputError: another ending, or the file cannot be written.
    """
    check_frame_file(path)
    try:
        if path.suffix == ".parquet":
            with whole_file(path) as part:
                frame.write_parquet(part)
        else:
            write_whole(path, _flat(frame).write_csv() if path.suffix == ".csv" else latex(frame))
    except OSError as error:
        raise InputError(path, f"this table cannot be written: {error.strerror or error}") from error


def latex(frame: "pl.DataFrame") -> str:
    r"""A `tabular` in the style of booktabs: names of columns, numbers at the right with four digits, "-" for nothing.

    Columns without any value are left out.

    Example:
        >>> import polars as pl
        >>> print(latex(pl.DataFrame({"policy": ["mix_fit"], "mean_wait_s": [1234.567]})))
        \begin{tabular}{lr}
        \toprule
        policy & mean\_wait\_s \\
        \midrule
        mix\_fit & 1235 \\
        \bottomrule
        \end{tabular}
        <BLANKLINE>
    """
    flat = _flat(frame)
    flat = flat.select(each for each in flat.columns if flat[each].null_count() < len(flat))
    sides = "".join("r" if kind.is_numeric() else "l" for kind in flat.dtypes)
    lines = [" & ".join(map(_cell, row)) + r" \\" for row in flat.rows()]
    head = " & ".join(map(_cell, flat.columns)) + r" \\"
    parts = (rf"\begin{{tabular}}{{{sides}}}", r"\toprule", head, r"\midrule", *lines, r"\bottomrule", r"\end{tabular}")
    return "\n".join(parts) + "\n"


def _cell(value: Any) -> str:
    if value is None or value != value:
        return "-"
    if isinstance(value, float):
        return f"{value:.4g}" if abs(value) < 1e4 else f"{value:.0f}"
    return "".join(_SPECIAL.get(each, each) for each in str(value))


def _flat(frame: "pl.DataFrame") -> "pl.DataFrame":
    """The table with every list or record as JSON text."""
    import polars as pl

    from loadmaster.system.strict_json import to_json

    nested = [name for name, kind in frame.schema.items() if kind.is_nested()]
    return frame.with_columns(pl.Series(name, [to_json(each) for each in frame[name].to_list()]) for name in nested)
