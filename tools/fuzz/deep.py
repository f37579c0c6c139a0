"""Sound logs that pass the readers and try the engines and the pages: bursts of jobs that need different resources."""

import random
from pathlib import Path

from cases import Case

SHAPES = (
    ("6", "1", "0"),
    ("1", "30", "0"),
    ("1", "1", "2"),
    ("1", "1", "0"),
    ("3", "12", "1"),
    ("0.5", "0.25", "0"),
    ("8", "32", "0"),
)
"""(cores, memory in GB, GPUs): the first three fit side by side on a host that holds only few of each."""
POLICIES = ("first-fit", "best-fit-cores", "mix-fit", "dot-product", "least-loaded", "round-robin", "max-jobs")
DISCIPLINES = ("netbatch", "fcfs", "easy", "conservative", "sjf+easy", "wfp3+easy", "fair-share+skip", "fcfs+selective")
MODES = (
    (),
    (),
    ("--interval", "0"),
    ("--interval", "7s"),
    ("--overrun", "kill"),
    ("--spread", "any"),
    ("--spread", "single-host"),
)
NUMBERS = ((), (), ("--reservations", "1"), ("--lookahead", "2"))
"""Of netbatch alone."""
WARM = tuple(
    ("--policies", ",".join(POLICIES), "--disciplines", ",".join(DISCIPLINES), *mode, "--check")
    for mode in ((), ("--interval", "0"), ("--spread", "any"))
)
"""What `compare` runs beforehand, so that no case waits for a kernel."""
COLUMNS = "job_id,submit_s,runtime_s,cores,memory_gb,gpus,tasks,estimate_s,user,project"


def make(rng: random.Random, folder: Path) -> Case:
    """For `simulate`, `compare`, `fewest` and `info`; every schedule is checked by the program, host by host."""
    (folder / "log.csv").write_text("\n".join([COLUMNS, *_jobs(rng)]) + "\n")
    verb = rng.choice(("simulate", "simulate", "compare", "compare", "fewest", "info"))
    hosts = ",".join(_host(rng) for _ in range(rng.choice((1, 1, 2, 3))))
    mode = rng.choice(MODES)
    if verb == "info":
        how = ["--hosts", hosts]
    elif verb == "simulate":
        discipline = rng.choice(DISCIPLINES)
        how = ["--hosts", hosts, "--policy", rng.choice(POLICIES), "--discipline", discipline, *mode]
        how += rng.choice(NUMBERS) if discipline == "netbatch" else []
    else:
        hosts = f"1..4x{_host(rng).partition('x')[2]}" if verb == "fewest" else hosts
        how = ["--hosts", hosts, "--policies", _some(rng, POLICIES), "--disciplines", _some(rng, DISCIPLINES), *mode]
        how += ["--p95", rng.choice(("0s", "1min", "1h"))] if verb == "fewest" else []
    how += ["--check"] * (verb != "info") + ["--json"] * (rng.random() < 0.5)
    return Case(folder, (verb, "log.csv", *how))


def _jobs(rng: random.Random) -> list[str]:
    """Rows in bursts: many jobs arrive at once, of two to four shapes, and a backlog waits behind them."""
    shapes, tasks = rng.sample(SHAPES, rng.randrange(2, 5)), rng.choice((("1",), ("1",), ("1", "2", "5")))
    rows, submit_s = [], 0
    for number in range(1, rng.choice((2, 12, 40, 120)) + 1):
        submit_s += rng.choice((0, 0, 0, 0, 0, 1, 30, 900))
        runtime_s = rng.choice((0, 1, 30, 30, 60, 300, 7200))
        estimate_s = max(1, int(runtime_s * rng.choice((0.5, 1, 1, 2, 10))))
        shape = ",".join(rng.choice(shapes))
        row = f"{number},{submit_s},{runtime_s},{shape},{rng.choice(tasks)},{estimate_s}"
        rows.append(f"{row},{rng.choice('abc')},{rng.choice('pq')}")
    return rows


def _host(rng: random.Random) -> str:
    cores, memory_gb, gpus = rng.choice(((6, 6, 0), (8, 32, 2), (64, 512, 8), (16, 64, 0), (7, 31, 3)))
    return f"{rng.choice((1, 1, 2, 8))}x{cores}c{memory_gb}g" + (f"{gpus}gpu" if gpus else "")


def _some(rng: random.Random, names: tuple[str, ...]) -> str:
    return ",".join(rng.sample(names, rng.choice((1, 2))))
