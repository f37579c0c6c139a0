"""Reads the table of machine types and prices that a user edits."""

import csv
from pathlib import Path

from loadmaster.model.errors import InputError
from loadmaster.sizing.billing import HostType
from loadmaster.traces.files import utf8_of
from loadmaster.traces.plain_yaml import plain_yaml

COLUMNS = ("name", "price_per_h", "speed", "boot_s", "unit_s", "minimum_s", "interruptions_per_h", "limit")
"""Columns of the table; `name` and `price_per_h` must be there."""

SAMPLE = Path(__file__).with_name("sample_prices.csv")
"""A table to start from; its prices are samples, not any provider's."""


def read_prices(path: Path) -> tuple[HostType, ...]:
    """Machine types from a CSV or YAML table; lines that begin with # are comments.

    Raises:
        InputError: no such file, an unknown column, or a value that breaks a rule, with its line.

    Example:
        >>> [kind.name for kind in read_prices(SAMPLE)][:2]
        ['standard', 'fast']
    """
    if not path.is_file():
        raise InputError(path, "no such price table", fix=f"copy {SAMPLE} and edit it")
    rows = _yaml_rows(path) if path.suffix in (".yaml", ".yml") else _csv_rows(path)
    types = tuple(_host_type(row, f"{path}:{line}") for line, row in rows)
    if not types:
        raise InputError(path, "holds no machine type", fix=f"its columns are {', '.join(COLUMNS)}")
    return types


def _csv_rows(path: Path) -> list[tuple[int, dict[str, object]]]:
    lines = [(n, line) for n, line in enumerate(utf8_of(path).splitlines(), 1) if line.strip() and line[0] != "#"]
    reader = csv.DictReader(line for _, line in lines)
    numbers = [number for number, _ in lines][1:]
    try:
        return [(number, dict(row)) for number, row in zip(numbers, reader, strict=False)]
    except csv.Error as error:
        raise InputError(path.name, f"not a table of prices: {error}", fix=f"copy {SAMPLE.name} and edit it") from error


def _yaml_rows(path: Path) -> list[tuple[int, dict[str, object]]]:
    rows = plain_yaml(path)
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise InputError(path, "must be a list of machine types", fix="see the sample table")
    return list(enumerate(rows, 1))


def _host_type(row: dict[str, object], where: str) -> HostType:
    values: dict[str, object] = {}
    for key, value in row.items():
        if key not in COLUMNS:
            raise InputError(key, "no such column", fix=f"known: {', '.join(COLUMNS)}", where=where)
        if value is None or str(value).strip() == "":
            continue
        try:
            values[key] = (
                str(value).strip() if key == "name" else int(str(value)) if key == "limit" else float(str(value))
            )
        except ValueError:
            raise InputError(value, f"{key} must be a number", where=where) from None
    for key in ("name", "price_per_h"):
        if key not in values:
            raise InputError(key, "is missing", fix="every machine type needs a name and a price", where=where)
    try:
        return HostType(**values)  # type: ignore[arg-type]
    except InputError as error:
        raise InputError(error.value, error.rule, fix=error.fix, where=where) from None
