"""Broken logs, machine files and bags for the verbs that read them."""

import random
from pathlib import Path

from cases import Case
from damage import broken
from samples import BAG, BAG_TEXT, HOSTS, LOGS, PRICES, content
from tables import broken_table

VERBS = (
    ("info",),
    ("info", "--json"),
    ("convert",),
    ("compare", "--policies", "first-fit", "--disciplines", "easy", "--json"),
    ("simulate", "--json"),
    ("share", "--methods", "pvm", "--json"),
    ("compare", "--policies", "best-fit-cores,mix-fit"),
)


def make(rng: random.Random, folder: Path) -> Case:
    """A log, machines or a bag, one of them broken."""
    return rng.choice((_log, _log, _log, _hosts, _bag))(rng, folder)


def _log(rng: random.Random, folder: Path) -> Case:
    name = rng.choice([*LOGS])
    data = content(name, LOGS[name])
    data = broken_table(rng, LOGS[name]) if name.endswith(".parquet") and rng.random() < 0.6 else broken(rng, data)
    given = "given-" + rng.choice((name, name, name, "log", "log.gz", "log.txt", "log.csv", "log.swf"))
    (folder / given).write_bytes(data)
    verb, *rest = rng.choice(VERBS)
    if verb == "convert":
        return Case(folder, (verb, given, "out" + rng.choice((".csv", ".swf", ".parquet", ".csv.gz")), *_more(rng)))
    return Case(folder, (verb, given, "--hosts", "4x8c32g", *rest, *_more(rng)))


def _hosts(rng: random.Random, folder: Path) -> Case:
    name = rng.choice([*HOSTS])
    data = content(name, HOSTS[name])
    data = broken_table(rng, HOSTS[name]) if name.endswith(".parquet") and rng.random() < 0.6 else broken(rng, data)
    (folder / f"given-{name}").write_bytes(data)
    (folder / "log.csv").write_text(LOGS["log.csv"])
    verb, *rest = rng.choice([verb for verb in VERBS if verb[0] != "convert"])
    return Case(folder, (verb, "log.csv", "--hosts", f"given-{name}", *rest))


def _bag(rng: random.Random, folder: Path) -> Case:
    bag = broken(rng, rng.choice((BAG, BAG_TEXT)).encode())
    if rng.random() < 0.3:
        bag = broken_table(rng, BAG.replace("?", ""))
    (folder / "given-bag.csv").write_bytes(bag)
    (folder / "given-prices.csv").write_bytes(broken(rng, PRICES.encode()) if rng.random() < 0.4 else PRICES.encode())
    prices = ("--prices", "given-prices.csv") if rng.random() < 0.5 else ()
    more = rng.choice(((), ("--json",), ("-o", "out"), ("--budget", "5"), ("--deadline", "1h")))
    return Case(folder, ("size", "given-bag.csv", "--guess", "1min", "--repetitions", "3", *prices, *more))


def _more(rng: random.Random) -> tuple[str, ...]:
    return rng.choice(
        (
            (),
            (),
            (),
            ("--strict",),
            ("--limit", "2"),
            ("--memory-unit", "B"),
            ("--format", rng.choice(("csv", "swf", "slurm", "openb"))),
        )
    )
