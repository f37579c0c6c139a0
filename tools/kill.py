"""Kills verbs in the middle of their writes, and looks at what they leave: `python tools/kill.py --count 40 --seed 1`.

Each case runs a verb, kills it (signal 9, which no program can catch) at one of its changes of the disk or soon after,
never before the first, and checks that nothing is lost and nothing is wrong: the store passes SQLite's integrity check
and its own checksums, every JSON is whole, a record is whole or none, the same command then goes on from all that was
kept, and comes to what it comes to without a stop. Prints a line a fault, and counts; exit code 1 if there were faults.
"""

import argparse
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
LIMIT_S = 300.0
JOBS = "job_id,submit_s,runtime_s,cores,memory_gb\n" + "".join(
    f"{k},{7 * k},{60 + 13 * (k % 9)},{1 + k % 3},{1 + k % 5}\n" for k in range(60)
)


def waited() -> str:
    """A log of more than four weeks whose jobs waited for one host, two and a half minutes more than each ran."""
    lines, free_s = ["submit_s,start_s,runtime_s,cores"], 0
    for k in range(240):
        submit_s, runtime_s = k // 8 * 86_400 + k % 8 * 600, 3_000 + 977 * k % 4_000
        start_s = max(submit_s, free_s)
        free_s = start_s + runtime_s + 150
        lines.append(f"{submit_s},{start_s},{runtime_s},1")
    return "\n".join(lines)


STUDY = (
    "from pathlib import Path; from loadmaster.papers.amir2000.study import Setup, run_study;"
    "out = run_study(Setup(methods=('pvm',), executions=200), Path('out')); print(out.total.tolist())"
)
VERBS: dict[str, tuple[str, ...]] = {
    "compare": ("compare", "log.csv", "--hosts", "2x4c16g", "--policies", "first-fit,mix-fit,best-fit-cores",
                "--loads", "0.5,0.9", "--disciplines", "netbatch", "-o", "out", "--json"),
    "share": ("share", "log.csv", "--hosts", "2x4c16g", "--methods", "pvm,fcfs,e-pvm", "-o", "out", "--json"),
    "samples": ("compare", "log.csv", "--hosts", "2x4c16g", "--policies", "first-fit,mix-fit", "--samples", "8",
                "-o", "out", "--json"),
    "fit": ("fit", "waited.csv", "--hosts", "1x1c", "--disciplines", "sjf+easy,fcfs+none", "-o", "out", "--json"),
    "simulate": ("simulate", "log.csv", "--hosts", "2x4c16g", "-o", "out", "--json"),
    "reproduce": (),
}  # fmt: skip
"""What is run; `reproduce` is a study of a paper as the verb makes it, without the pages."""
CHANGES = {"fit": 70, "samples": 50}
"""Of the disk, about, by verbs that make many more than a dozen."""

DYING = """
import os, signal, sys, threading
at, delay_s = int(sys.argv[1]), float(sys.argv[2])
changes = 0
def change():
    global changes
    changes += 1
    if changes == at:
        kill = lambda: os.kill(os.getpid(), signal.SIGKILL)
        threading.Timer(delay_s, kill).start() if delay_s else kill()
def hook(event, args):
    path = str(args[0]) if args else ""
    if ("out" not in path.split(os.sep) and "/out/" not in path) or "progress.json" in path:  # told by the clock
        return
    if event in ("os.rename", "os.remove") or (event == "open" and (args[2] or 0) & (os.O_WRONLY | os.O_RDWR)):
        change()
sys.addaudithook(hook)
from loadmaster.results.store import Store
put = Store.put
def watched(self, key, result):
    change()
    put(self, key, result)
    change()
Store.put = watched
sys.argv = ["loadmaster", *sys.argv[3:]]
"""
MAIN = "from loadmaster.cli import main; main()"


class Case(NamedTuple):
    """A verb that dies so long after its `at`-th change of the disk."""

    verb: str
    at: int
    delay_s: float


def draw(rng: random.Random, verb: str) -> Case:
    """A moment within the writes of `verb`."""
    return Case(
        verb, rng.randint(1, CHANGES.get(verb, 12)), rng.choice([0.0, 0.0, rng.random() * 0.02, rng.random() * 0.3])
    )


def run(folder: Path, verb: str, case: Case | None = None) -> "subprocess.CompletedProcess[str]":
    """Run `verb` in `folder`; it dies as `case` says."""
    dying = DYING if case else "import sys; sys.argv = ['loadmaster', *sys.argv[3:]]\n"
    program = dying + (MAIN if VERBS[verb] else STUDY)
    moment = (str(case.at), str(case.delay_s)) if case else ("0", "0")
    return subprocess.run(
        [sys.executable, "-c", program, *moment, *VERBS[verb]],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
    )


def folder_for(verb: str) -> Path:
    """A new folder with what `verb` reads."""
    folder = Path(tempfile.mkdtemp(prefix=f"kill-{verb}-"))
    (folder / "log.csv").write_text(JOBS)
    (folder / "waited.csv").write_text(waited())
    return folder


def outcome(text: str) -> Any:
    """What stands on stdout, without what differs from run to run."""
    made = json.loads(text)
    rows = [made] if isinstance(made, list) else made.get("rows", [made])
    varies = ("simulated_jobs_per_s", "record", "command", "notes", "warnings")
    about = {k: made[k] for k in ("sentence", "best", "verdict", "site") if isinstance(made, dict) and k in made}
    return [
        about,
        *({k: v for k, v in row.items() if k not in varies} if isinstance(row, dict) else row for row in rows),
    ]


def faults_of(case: Case, expected: Any) -> tuple[bool, list[str]]:
    """(whether the kill came in time, what is wrong afterwards)."""
    folder = folder_for(case.verb)
    try:
        killed = run(folder, case.verb, case).returncode == -9
        faults, kept = _look(folder / "out")
        resumed = run(folder, case.verb)
        if resumed.returncode:
            return killed, [*faults, f"the same command ends with {resumed.returncode}: {resumed.stderr[-300:]}"]
        if outcome(resumed.stdout) != expected:
            faults.append("the same command comes to something else")
        after, still = _look(folder / "out")
        lost = [key for key, when in kept.items() if still.get(key) != when]
        return killed, [*faults, *after, *(f"{len(lost)} kept results were lost or made again" for _ in lost[:1])]
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _look(out: Path) -> tuple[list[str], dict[str, str]]:
    """(what is wrong in the folder, when each result in its store was finished)."""
    from loadmaster.model import InputError
    from loadmaster.results.store import Store
    from loadmaster.runs.record import read_record
    from loadmaster.site.fitted_queue import read_fitted_queue

    faults, kept = [], {}
    for path in out.rglob("*.json"):
        try:
            json.loads(path.read_text())
        except ValueError:
            faults.append(f"{path.name} is not whole")
    if (out / "results.sqlite").exists():
        with sqlite3.connect(out / "results.sqlite") as database:
            faults += [str(row) for row in database.execute("pragma integrity_check") if row != ("ok",)]
            some = database.execute("select name from sqlite_master where name = 'results'").fetchall()
            kept = dict(database.execute("select key, finished_at from results").fetchall()) if some else {}
        database.close()
        faults += [f"damaged: {key}" for key in Store.in_folder(out).get(list(kept)).damaged]
    for name, read in (
        ("run.json", lambda: read_record(out)),
        ("site.yaml", lambda: read_fitted_queue(out / "site.yaml")),
    ):
        try:
            read() if (out / name).exists() else None
        except InputError as error:
            faults.append(str(error))
    return faults, kept


def main() -> None:
    """Run the cases and print the counts."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    options.add_argument("--count", type=int, default=20, help="cases a verb")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--verbs", default=",".join(VERBS))
    given = options.parse_args()
    counts: Counter[str] = Counter()
    for verb in given.verbs.split(","):
        whole = folder_for(verb)
        expected = outcome(run(whole, verb).stdout)
        shutil.rmtree(whole)
        rng = random.Random(f"{given.seed} {verb}")
        for _ in range(given.count):
            case = draw(rng, verb)
            killed, faults = faults_of(case, expected)
            counts[f"{verb}: killed" if killed else f"{verb}: ended before"] += 1
            counts["faults"] += bool(faults)
            for fault in faults:
                print(f"{case}: {fault}", flush=True)
    print(f"seed {given.seed}: " + ", ".join(f"{name} {count}" for name, count in sorted(counts.items())))
    sys.exit(1 if counts["faults"] else 0)


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT / "src"))
    main()
