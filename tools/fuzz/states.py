"""Broken tables of tasks, states and commands, and states that are sound but hard."""

import random
from pathlib import Path

from cases import Case
from damage import NUMBERS, broken
from samples import COMMANDS, HOSTS, PACKED, STATE, content
from tables import broken_table


def make(rng: random.Random, folder: Path) -> Case:
    """For `pack`, `rebalance`, now and then `run`."""
    return rng.choice((_pack, _rebalance, _hard, _hard) * 12 + (_commands,))(rng, folder)


def _pack(rng: random.Random, folder: Path) -> Case:
    name = rng.choice([*PACKED])
    data = content(name, PACKED[name])
    data = broken_table(rng, PACKED[name]) if name.endswith(".parquet") else broken(rng, data)
    (folder / f"given-{name}").write_bytes(data)
    hosts = () if name == "cloud.json" and rng.random() < 0.8 else ("--hosts", "3x8c32g")
    return Case(folder, ("pack", f"given-{name}", *hosts, *_how(rng)))


def _rebalance(rng: random.Random, folder: Path) -> Case:
    (folder / "given-state.csv").write_bytes(broken(rng, STATE.encode()))
    return Case(folder, ("rebalance", "given-state.csv", "--hosts", "3x8c32g", *_how_much(rng)))


def _hard(rng: random.Random, folder: Path) -> Case:
    """Random tables of odd numbers on odd hosts: none is broken, few can be placed."""
    rows = rng.randrange(0, 9)
    columns = [
        "name",
        "cpu",
        "memory",
        *rng.sample(["job", "weight", "min_yield", "tasks", "network", "gpus"], rng.randrange(3)),
        "host",
    ]
    moving = rng.random() < 0.5
    table = [",".join(columns if moving else columns[:-1])]
    table += [",".join(_value(rng, name, row) for name in columns[: None if moving else -1]) for row in range(rows)]
    (folder / "given.csv").write_text("\n".join(table) + "\n")
    hosts = rng.choice(("1x1c1g", "2x8c32g", "3x4c16g,1x64c1g", "2x0.5c1g", "1x8c", "hosts.yaml"))
    (folder / "hosts.yaml").write_text(HOSTS["hosts.yaml"])
    how = _how_much(rng) if moving else _how(rng)
    return Case(folder, ("rebalance" if moving else "pack", "given.csv", "--hosts", hosts, *how))


def _value(rng: random.Random, column: str, row: int) -> str:
    if rng.random() < 0.05:
        return rng.choice(NUMBERS).replace(",", ".")
    if column in ("name", "job"):
        return f"t{row}" if column == "name" else rng.choice("ab")
    if column == "host":
        return rng.choice(("", "0", "1", "2", "7", "a", "-1"))
    if column in ("memory",):
        return rng.choice(("1GiB", "8GiB", "0", "1KiB", "100GiB", "3", "1e-3GiB"))
    return rng.choice(("0", "1", "2", "0.5", "0.1", "7", "0.333", "1e-9", "64"))


def _how(rng: random.Random) -> tuple[str, ...]:
    return rng.choice(
        (
            (),
            ("--json",),
            ("--json", "-o", "out"),
            ("--exact", "--time-limit", "2", "--json"),
            ("--admit", rng.choice(("0.5", "1", "0.01")), "--json"),
            (
                "--method",
                rng.choice(("gr", "sgb", "mcb1", "rrnd", "highs-paper", "local-search", "mix-fit", "worse-fit-cores")),
                "--time-limit",
                "2",
                "--json",
            ),
            ("--fluid", rng.choice(("cpu", "cores", "memory", "network", "gpus,cores")), "--json"),
        )
    )


def _how_much(rng: random.Random) -> tuple[str, ...]:
    return rng.choice(
        (
            ("--budget", rng.choice(("0", "4GiB", "64GiB", "1e-9", "-1"))),
            ("--moves", rng.choice(("0", "1", "5", "1000"))),
            (),
        )
    ) + rng.choice(((), ("--json",), ("-o", "out", "--json"), ("--method", "exact", "--time-limit", "2", "--json")))


def _commands(rng: random.Random, folder: Path) -> Case:
    """Only marks that no shell acts upon are put in, and no letter is changed: what is left is still harmless."""
    text = COMMANDS
    for _ in range(rng.randrange(1, 4)):
        at = rng.randrange(len(text) + 1)
        text = (
            text[:at]
            + rng.choice(("\n", "\r", "\r\n", " ", "\t", "\ufeff", "#", "\u2028", "true\n" * 3, ": " + "x" * 5000))
            + text[at:]
        )
    (folder / "given-commands.txt").write_bytes(text.encode(rng.choice(("utf-8", "utf-8", "utf-16", "utf-8-sig"))))
    more = rng.choice(
        (("--json",), (), ("--sizer", "2", "--json"), ("--budget", "0.001", "--json"), ("--timeout", "1s"))
    )
    return Case(folder, ("run", "given-commands.txt", *more), alone=True, limit_s=60.0)
