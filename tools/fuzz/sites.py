"""Broken configurations of a site, and broken tables of its accounts."""

import random
from pathlib import Path

from cases import Case
from damage import broken
from samples import ACCOUNTS, DUMP, SACCT, SLURM_CONF

VERBS = (
    ("simulate", "--json"),
    ("simulate",),
    ("simulate", "--policy", "mix-fit", "--discipline", "easy"),
    ("compare", "--policies", "first-fit", "--disciplines", "easy", "--json"),
)


def make(rng: random.Random, folder: Path) -> Case:
    """A log under a site of which one file is broken."""
    conf, accounts = SLURM_CONF.encode(), rng.choice((ACCOUNTS, DUMP)).encode()
    if rng.random() < 0.6:
        conf = broken(rng, conf)
    else:
        accounts = broken(rng, accounts)
    (folder / "slurm.conf").write_bytes(conf)
    (folder / "nodes.conf").write_text("NodeName=n[3-4] CPUs=4 RealMemory=9000\n")
    (folder / "accounts.txt").write_bytes(accounts)
    (folder / "log.sacct").write_text(SACCT)
    verb, *rest = rng.choice(VERBS)
    given = ("--site-accounts", "accounts.txt") if rng.random() < 0.7 else ()
    return Case(folder, (verb, "log.sacct", "--site", "slurm.conf", *given, *rest))
