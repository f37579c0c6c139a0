"""Odd values for the options of every verb, read off the command line itself."""

import random
from functools import cache
from pathlib import Path

from cases import Case
from samples import BAG, HOSTS_CSV, JOBS, POLICY, STATE, SWF, TASKS

SAMPLES = {
    "log.swf": SWF,
    "log.csv": JOBS,
    "hosts.csv": HOSTS_CSV,
    "tasks.csv": TASKS,
    "state.csv": STATE,
    "bag.csv": BAG,
    "mine.py": POLICY,
}
VALUES = (
    "",
    " ",
    "0",
    "1",
    "-1",
    "2",
    "0.5",
    "1e308",
    "-1e308",
    "1e-300",
    "nan",
    "inf",
    "-inf",
    "1e18",
    "99999999999999999999",
    "0x10",
    "1,2",
    "1,,2",
    ",",
    "a" * 500,
    "a,b" * 200,
    "no-such",
    "first-fit",
    "FIRST-FIT",
    "first-fit,first-fit",
    "mix-fit",
    "max-jobs",
    "easy",
    "fcfs,netbatch",
    "mine.py:mine",
    "mine.py:",
    ":mine",
    "mine.py",
    "none.py:f",
    "log.csv",
    "log.swf",
    "hosts.csv",
    ".",
    "/",
    "/dev/null",
    "/proc/self/mem",
    "no/such/file",
    "2x4c16g",
    "0x4c",
    "4x0c",
    "1x1c1g1gpu",
    "9999999999x1c",
    "2x4c16g,1x8c",
    "1x1c1k",
    "60s",
    "-5min",
    "1d",
    "1e9d",
    "64GiB",
    "-1GiB",
    "1XB",
    "any",
    "single-host",
    "csv",
    "swf",
    "auto",
    "\u202e",
    "\U0001f600",
    "\n",
    "\t",
    "'",
    '"',
    "$(x)",
    "%s",
    "{}",
    "../x",
    "=1+1",
    "B",
    "KB",
    "job",
    "memory",
    "cpu",
    "cores=submit_s",
    "a=b=c",
    "=",
    "tcp://127.0.0.1:1",
    "tls://127.0.0.1:1",
    "tcp://",
    "sqlite:///x.db",
    "sqlite://",
    "postgresql://nobody@127.0.0.1:1/none",
    "mysql://x",
    "normal(150,30)x4",
    "exact",
    "mcb8",
    "gr",
    "planner",
    "silva",
    "8",
    "minute",
    "second",
    "hour",
)
BASES: dict[str, tuple[str, ...]] = {
    "compare": ("log.csv", "--hosts", "2x8c32g", "--policies", "first-fit,mix-fit"),
    "simulate": ("log.csv", "--hosts", "2x8c32g"),
    "explain": ("no-record", "1"),
    "report": ("no-record",),
    "policies": (),
    "pack": ("tasks.csv", "--hosts", "2x8c32g"),
    "rebalance": ("state.csv", "--hosts", "2x8c32g"),
    "size": ("bag.csv", "--guess", "1min", "--repetitions", "3"),
    "share": ("log.csv", "--hosts", "2x8c32g", "--methods", "pvm"),
    "run": ("no-commands",),
    "serve": ("no-such-folder",),
    "live fake": ("--limit", "5", "--for", "5s"),
    "info": ("log.swf",),
    "convert": ("log.swf", "out.csv"),
    "fetch": ("KTH-SP2", "--folder", ".", "--mirror", "http://127.0.0.1:9"),
    "reproduce": ("no-such-paper",),
    "generate bag": ("normal(150,30)x8", "-o", "made.csv"),
    "generate lublin": ("--jobs", "50", "--load", "0.8", "-o", "made.csv"),
    "generate virtual-jobs": ("--hosts", "4", "--tasks", "12", "--slack", "0.5", "-o", "made.csv"),
    "generate netbatch": ("--jobs", "30", "-o", "made.csv"),
    "generate opportunity": ("--window", "200", "-o", "made.csv"),
    "generate virtual-clusters": ("--hosts", "4", "--tasks", "8", "--slack", "0.5", "-o", "made.csv"),
}
"""A call of every verb that does its work in no time; `run`, `serve` and `reproduce` are kept from doing theirs."""
SLOW = {"--exact": ("--time-limit", "1"), "--on": ()}
"""What an option needs beside it so that the limit of a case means something."""


def make(rng: random.Random, folder: Path) -> Case:
    """A call with one to three options set oddly, and sometimes an odd argument."""
    for name, text in SAMPLES.items():
        (folder / name).write_text(text)
    verb = rng.choice(sorted(verbs()))
    base = list(BASES.get(verb, ()))
    if base and rng.random() < 0.1:
        base[0] = rng.choice(VALUES)
    chosen: list[str] = []
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3))):
        name, flag = rng.choice(verbs()[verb])
        chosen += [name] if flag else [name, rng.choice(VALUES)]
        chosen += SLOW.get(name, ())
    json = ["--json"] * (rng.random() < 0.4 and ("--json", True) in verbs()[verb])
    return Case(
        folder,
        (*verb.split(), *base, *chosen, *json),
        alone="--on" in chosen,
        limit_s=40.0 if "--on" in chosen else 20.0,
    )


@cache
def verbs() -> dict[str, tuple[tuple[str, bool], ...]]:
    """(option, whether it is a flag) of every verb."""
    import typer.main

    from loadmaster.cli.app import app

    found: dict[str, tuple[tuple[str, bool], ...]] = {}

    def walk(command: object, path: tuple[str, ...]) -> None:
        for name, sub in getattr(command, "commands", {}).items():
            walk(sub, (*path, name))
        if not hasattr(command, "commands"):
            params = command.params  # type: ignore[attr-defined]
            named = [(p.opts[-1], bool(getattr(p, "is_flag", False))) for p in params if p.opts[-1].startswith("-")]
            found[" ".join(path)] = tuple(sorted(named))

    walk(typer.main.get_command(app), ())
    return found
