"""Broken tables of tasks, states and commands, and states that are sound but hard."""

import random
from pathlib import Path

from cases import Case
from damage import NUMBERS, broken
from samples import COMMANDS, PACKED, STATE, content
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
    """Random tables of odd amounts on odd hosts: hardly any is broken, not all can be placed."""
    rows, moving = rng.randrange(1, 9), rng.random() < 0.5
    more = rng.sample(["job", "weight", "min_yield", "tasks", "resource_network", "gpus"], rng.randrange(3))
    hosts = rng.choice(([(1, 1)], [(8, 32)] * 2, [(4, 16)] * 3 + [(64, 1)], [(0, 8), (4, 8)], [(1, 0)] * 2))
    columns = ["name", "cpu", "memory", *(more if not moving else [m for m in more if m != "tasks"]), "host"]
    columns = columns if moving else columns[:-1]
    table = [",".join(_value(rng, name, row, len(hosts)) for name in columns) for row in range(rows)]
    (folder / "given.csv").write_text("\n".join([",".join(columns), *table]) + "\n")
    lines = [f"h{number},{cores},{memory},2,10" for number, (cores, memory) in enumerate(hosts)]
    (folder / "hosts.csv").write_text("\n".join(["name,cores,memory_gb,gpus,resource_network", *lines]) + "\n")
    how = _how_much(rng) if moving else _how(rng)
    return Case(folder, ("rebalance" if moving else "pack", "given.csv", "--hosts", "hosts.csv", *how))


def _value(rng: random.Random, column: str, row: int, hosts: int) -> str:
    if rng.random() < 0.004:
        return rng.choice(NUMBERS).replace(",", ".")
    choices = {
        "name": (f"t{row}",),
        "job": ("a", "b", f"j{row}"),
        "host": ("", *(f"h{number}" for number in range(hosts))),
        "memory": ("1GiB", "8GiB", "0", "1KiB", "100GiB", "0.3GiB"),
        "tasks": ("1", "2", "5"),
        "weight": ("1", "2", "0.1", "1000", "1e-9"),
        "min_yield": ("0", "0.5", "1", "1e-9", ""),
    }
    return rng.choice(choices.get(column, ("0", "1", "2", "0.5", "0.1", "7", "0.333", "1e-9", "64")))


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
                rng.choice(("gr", "sgb", "mcb1", "rrnd", "mix-fit", "worse-fit-cores")),
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
