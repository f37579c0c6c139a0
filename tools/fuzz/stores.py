"""Damaged results, records and kept rows: the same command once more over what is there."""

import json
import random
import shutil
import sqlite3
import tempfile
from functools import cache
from pathlib import Path

from cases import Case, Result
from damage import broken
from process import fresh
from samples import BAG, JOBS

WRITERS: dict[str, tuple[str, ...]] = {
    "compare": (
        "compare",
        "log.csv",
        "--hosts",
        "2x8c32g",
        "--policies",
        "first-fit,mix-fit",
        "--loads",
        "0.5,0.9",
        "-o",
        "out",
    ),
    "simulate": ("simulate", "log.csv", "--hosts", "2x8c32g", "-o", "out"),
    "share": ("share", "log.csv", "--hosts", "2x8c32g", "--methods", "pvm,e-pvm", "-o", "out"),
    "size": ("size", "bag.csv", "--guess", "1min", "--repetitions", "3", "-o", "out"),
    "pack": ("pack", "tasks.csv", "--hosts", "2x8c32g", "-o", "out"),
}
READERS: dict[str, tuple[tuple[str, ...], ...]] = {
    "compare": (
        WRITERS["compare"],
        (*WRITERS["compare"], "--json"),
        (*WRITERS["compare"][:-2], "--store", "sqlite:///out/results.sqlite"),
    ),
    "simulate": (
        ("explain", "out", "1"),
        ("explain", "out", "3", "--json"),
        ("report", "out"),
        ("report", "out", "-o", "page.html", "--json"),
        ("simulate", "--again", "out", "--json"),
        WRITERS["simulate"],
    ),
    "share": (WRITERS["share"], (*WRITERS["share"], "--json")),
    "size": (WRITERS["size"], (*WRITERS["size"], "--json")),
    "pack": (WRITERS["pack"],),
}


def make(rng: random.Random, folder: Path) -> Case:
    """What a verb kept, one to three files of it damaged, and a verb that reads it."""
    verb = rng.choice([*WRITERS, "compare", "compare", "simulate", "simulate", "share"])
    shutil.copytree(written(verb), folder, dirs_exist_ok=True)
    files = [path for path in sorted((folder / "out").rglob("*")) if path.is_file()]
    for path in rng.sample(files, min(len(files), rng.choice((1, 1, 2, 3)))):
        _damage(rng, path)
    return Case(folder, rng.choice(READERS[verb]))


@cache
def written(verb: str) -> Path:
    """A folder in which `verb` has run, with its input."""
    folder = Path(tempfile.mkdtemp(prefix=f"fuzz-{verb}-"))
    (folder / "log.csv").write_text(JOBS)
    (folder / "bag.csv").write_text(BAG)
    (folder / "tasks.csv").write_text("name,cpu,memory\na,4,8GiB\nb,4,8GiB\nc,6,4GiB\n")
    result: Result = fresh(Case(folder, WRITERS[verb], limit_s=300.0))
    if result.code not in (0, 1):
        raise RuntimeError(f"{verb} cannot make what is to be damaged: {result.err[-500:]}")
    return folder


def _damage(rng: random.Random, path: Path) -> None:
    data = path.read_bytes()
    if data.startswith(b"SQLite format 3") and rng.random() < 0.6:
        _damage_rows(rng, path)
        return
    what = rng.randrange(5)
    if what == 0:
        path.unlink()
    elif what == 1:
        path.unlink()
        path.mkdir()
    elif what == 2:
        path.write_bytes(b"")
    elif what == 3 and path.suffix == ".json":
        path.write_text(json.dumps(_other_values(rng, _parsed(data))))
    else:
        path.write_bytes(broken(rng, data))


def _parsed(data: bytes) -> object:
    try:
        return json.loads(data)
    except ValueError:
        return {}


def _other_values(rng: random.Random, value: object) -> object:
    if rng.random() < 0.1:
        return rng.choice((None, "", -1, 1e308, float("nan"), [], {}, "x" * 400, True, {"a": 1}))
    if isinstance(value, dict):
        return {key: _other_values(rng, inner) for key, inner in value.items() if rng.random() > 0.05}
    return [_other_values(rng, inner) for inner in value] if isinstance(value, list) else value


def _damage_rows(rng: random.Random, path: Path) -> None:
    """Tables dropped, columns renamed, cells of another kind: a sound database that holds something else."""
    with sqlite3.connect(path) as store:
        tables = [name for (name,) in store.execute("select name from sqlite_master where type = 'table'")]
        if not tables:
            return
        table = rng.choice(tables)
        columns = [row[1] for row in store.execute(f'pragma table_info("{table}")')]
        column = rng.choice(columns)
        change = rng.choice(
            (
                f'drop table "{table}"',
                f'delete from "{table}"',
                f'update "{table}" set "{column}" = null',
                f'update "{table}" set "{column}" = \'{{"mean_wait_s": NaN}}\'',
                f'update "{table}" set "{column}" = \'not json\'',
                f'update "{table}" set "{column}" = x\'ff00\'',
                f'update "{table}" set "{column}" = 1e308',
                f'update "{table}" set "{column}" = \'{{}}\'',
                f'alter table "{table}" rename to other',
                f'alter table "{table}" rename column "{column}" to other',
                f'update "{table}" set "{column}" = "{column}" || \'x\'',
                f'create table extra as select * from "{table}"',
            )
        )
        try:
            store.execute(change)
        except sqlite3.Error:
            return
    store.close()
