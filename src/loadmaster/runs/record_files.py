"""The files of a record, written so that a folder with a run.json is whole, whenever the writer was stopped."""

import json
from collections.abc import Mapping
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any

import polars as pl

from loadmaster.model import InputError
from loadmaster.system.strict_json import to_json
from loadmaster.system.whole_file import naming, part_of, whole_file

FORMAT = 5
"""Raised when a record written before can no longer be read."""
ABOUT = "run.json"
TABLES = ("jobs.parquet", "tasks.parquet", "segments.parquet", "cycles.parquet", "choices.parquet", "hosts.parquet")


def write_files(folder: Path, about: Mapping[str, Any], tables: Mapping[str, pl.DataFrame]) -> None:
    """Put `tables`, by file name, and `about` into `folder`, in place of what an earlier run has left there.

    All tables are on disk before the first of the earlier run goes; run.json goes before them and comes after them, and
    holds their digests.

    Raises:
        InputError: the folder cannot be written.
    """
    parts = {folder / name: part_of(folder / name) for name in tables}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path, part in parts.items():
            with naming(path):
                tables[path.name].write_parquet(part, compression="zstd", compression_level=1)
        digests = {path.name: _digest(part) for path, part in parts.items()}
        for name in (ABOUT, *TABLES):
            (folder / name).unlink(missing_ok=True)
        for path, part in parts.items():
            part.replace(path)
        with whole_file(folder / ABOUT) as part:
            text = to_json({"format": FORMAT, **about, "tables": digests}, indent=1)
            part.write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise InputError(folder, f"the record cannot be written: {error.strerror or error}") from error
    finally:
        with suppress(OSError):
            for part in parts.values():
                part.unlink(missing_ok=True)


def read_files(folder: Path) -> tuple[dict[str, Any], dict[str, pl.DataFrame]]:
    """What stands in run.json, and the tables by name without ending.

    Raises:
        InputError: there is no whole record, or one of another format.
        OSError, ValueError, KeyError, TypeError, AttributeError, PolarsError: it is damaged.
    """
    about: dict[str, Any] = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
    if about["format"] != FORMAT:
        raise InputError(
            about["format"],
            f"this record has another format than {FORMAT}",
            where=str(folder),
            fix="make it again with loadmaster simulate -o DIR",
        )
    tables = {}
    for name, digest in about["tables"].items():
        if name not in TABLES or _digest(folder / name) != digest:
            raise ValueError(f"{name} was changed after the run")
        tables[Path(name).stem] = pl.read_parquet(folder / name, glob=False)
    return about, tables


def _digest(path: Path) -> str:
    digest = blake2b(digest_size=16)
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
