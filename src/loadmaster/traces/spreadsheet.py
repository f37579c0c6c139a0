"""Names in CSV files that a spreadsheet must not take for formulas.

A cell that begins with one of `=`, `+`, `-`, `@`, a tab or a carriage return is run as a formula when a spreadsheet
opens the file, and names come from logs that others wrote. An apostrophe before it makes it text (OWASP, "CSV
injection"). Our own readers take that apostrophe off again, so a name survives the way there and back.
"""

import polars as pl

_FORMULA = r"^'*[=+\-@\t\r]"


def harmless(frame: pl.DataFrame) -> pl.DataFrame:
    """`frame` with an apostrophe before each text that a spreadsheet would run, in cells and in heads.

    Example:
        >>> harmless(pl.DataFrame({"task": ["=1+1", "web", None, "-x"], "cores": [-1, 2, 3, 4]}))["task"].to_list()
        ["'=1+1", 'web', None, "'-x"]
    """
    texts = [name for name, kind in frame.schema.items() if kind == pl.String]
    quoted = frame.with_columns(pl.col(name).str.replace(f"({_FORMULA})", "'$1") for name in texts)
    heads = {name: f"'{name}" for name in frame.columns if pl.Series([name]).str.contains(_FORMULA)[0]}
    return quoted.rename(heads)


def as_named(column: pl.Series) -> pl.Series:
    """Texts of a CSV file without the apostrophe that `harmless` put before them.

    Example:
        >>> as_named(pl.Series(["'=1+1", "'web'", "-x"])).to_list()
        ['=1+1', "'web'", '-x']
    """
    return column.str.replace(r"^'('*[=+\-@\t\r])", "$1")
