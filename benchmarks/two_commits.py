"""The queue's benchmarks on two commits in turn, one table: `python benchmarks/two_commits.py [--only WORDS]`.

By default the working tree beside commit 78d9e6e. `--beside COMMIT` and `--now COMMIT` name other commits, or folders
that hold a tree. A commit is checked out once into `.benchmarks/`, which git ignores. Both sides run the benchmark
code of *this* tree, each in a process of its own with the package of its tree.

A case is built and run once on each side, which compiles, and does not count. Then it is run in turns: then, now, then,
now. The CPU seconds of the run alone are counted, and the least of the runs is shown.
Where the two schedules differ, the row says so and the exit code is 1.

Every file of `BENCHES` has a function `cases()`, which gives a `Case` for each row, and prints its own table by `main`
when it is run as a script: this tree alone, or two trees with `--beside`. `--large` runs the cases of hours and of
millions of jobs, which are otherwise left out. Logs of the Parallel Workloads Archive come from the folder
`LOADMASTER_LOGS`.
"""

import argparse
import json
import math
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent.parent
THEN = "78d9e6e"
BENCHES = (
    "parallel_logs", "archive_like", "long_queue", "conservative", "walks", "netbatch", "distinct_demands", "orders",
    "decide", "slurm_pass", "constraints", "own_rules",
)  # fmt: skip


@dataclass(frozen=True)
class Case:
    """A row of the table.

    Attributes:
        name: unique within its file.
        build: makes the problem, and returns the run that is timed: it gives a schedule or a decision.
        large: whether only `--large` runs it.
    """

    name: str
    build: Callable[[], Callable[[], Any]]
    large: bool = False


def main(benches: Sequence[str], doc: str | None, beside: str = "") -> None:
    """Print the table of these files' cases; the process of a `Side` answers instead."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--beside", default=beside, metavar="COMMIT", help=f"the commit to compare with ({beside})")
    parser.add_argument("--now", default=str(HERE), metavar="COMMIT", help="the commit that is measured (this tree)")
    parser.add_argument("--only", default="", metavar="WORDS", help="cases whose file and name hold all of these words")
    parser.add_argument("--runs", type=int, default=3, help="of each side (3)")
    parser.add_argument("--seconds", type=float, default=15.0, help="no further run of a case after so many (15)")
    parser.add_argument("--large", action="store_true", help="the cases of millions of jobs")
    parser.add_argument("--keep", type=Path, metavar="FILE", help="where to keep the table")
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(options.serve)
        return
    trees = [tree_of(name) for name in (options.beside, options.now) if name]
    lines = []
    for line in table(benches, trees, options):
        print(line, flush=True)
        lines.append(line)
    if options.keep:
        options.keep.write_text("\n".join(lines) + "\n")
    sys.exit(any(", ERROR" in line or ", DIFFERENT" in line for line in lines))


def table(benches: Sequence[str], trees: Sequence[Path], options: argparse.Namespace) -> Iterator[str]:
    """The lines of the table: each case, and the geometric mean of each file and of all."""
    head = "then s | now s | ratio | jobs" if trees[1:] else "s | us a job | jobs"
    yield f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, load {os.getloadavg()}\n"
    yield f"| case | {head} |\n|---|{'---|' * (head.count('|') + 1)}"
    ratios: list[float] = []
    for bench in benches:
        of_file: list[float] = []
        chosen = [case for case in import_module(bench).cases() if wanted(bench, case, options)]
        sides = [Side(tree, bench) for tree in trees if chosen]
        for case in chosen:
            seconds, jobs, fault = least(case, sides, options)
            yield row(f"{bench}: {case.name}{fault}", jobs, seconds or [math.nan] * len(trees))
            of_file += [seconds[1] / seconds[0]] if seconds[1:] else []
        for side in sides:
            side.close()
        if of_file:
            yield f"| **{bench}, geometric mean** | | | **{mean(of_file):.2f}** | |"
        ratios += of_file
    if ratios:
        yield f"| **all, geometric mean** | | | **{mean(ratios):.2f}** | |"


def wanted(bench: str, case: Case, options: argparse.Namespace) -> bool:
    """Whether the options request the case."""
    return case.large == options.large and all(word in f"{bench} {case.name}" for word in options.only.split())


def mean(ratios: Sequence[float]) -> float:
    """The geometric one."""
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def row(name: str, jobs: int, seconds: Sequence[float]) -> str:
    """One line of the table; a decision, unlike a run, has no number of jobs."""
    figures = [f"{each:.4f}" for each in seconds]
    if seconds[1:]:
        figures += [f"{seconds[1] / seconds[0]:.2f}"]
    elif seconds:
        figures += [f"{seconds[0] / jobs * 1e6:.2f}" if jobs else ""]
    return f"| {' | '.join([name, *figures, f'{jobs:,}' if jobs else ''])} |"


def least(case: Case, sides: "Sequence[Side]", options: argparse.Namespace) -> tuple[list[float], int, str]:
    """The least CPU seconds of each side, the number of jobs, and what is wrong, if anything is."""
    for side in sides:
        side.ask(case.name)  # at the same time: this run compiles, and does not count
    answers = [side.answer() for side in sides]
    spent_s, seconds = 0.0, [math.inf for _ in sides]
    for done in range(options.runs):
        if any("error" in each for each in answers) or (done and spent_s > options.seconds):
            break
        for number, side in enumerate(sides):
            side.ask(case.name)
            answers[number] = side.answer()
            spent_s += answers[number].get("s", 0.0)
            seconds[number] = min(seconds[number], answers[number].get("s", math.inf))
    told = zip(sides, answers, strict=True)
    faults = [f", ERROR of {side.name}: {each['error']}" for side, each in told if "error" in each]
    if faults:
        return [], 0, "".join(faults)
    equal = len({each["digest"] for each in answers}) == 1
    return seconds, answers[0]["jobs"], "" if equal else ", DIFFERENT SCHEDULES"


class Side:
    """A process with the package of a tree, which runs the cases of one file by name."""

    def __init__(self, tree: Path, bench: str) -> None:
        self.name = tree.name
        self._process = subprocess.Popen(
            [sys.executable, __file__, "--serve", bench],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(tree / "src")},
        )

    def ask(self, name: str) -> None:
        """Have a case run once."""
        assert self._process.stdin is not None
        print(name, file=self._process.stdin, flush=True)

    def answer(self) -> dict[str, Any]:
        """Seconds, jobs and digest of the case last requested; or an error."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        return json.loads(line) if line else {"error": "the process ended"}

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


def serve(bench: str) -> None:
    """Answer a case for each line of standard input; what was built for a case stays for its next runs."""
    import older_names  # noqa: F401 - this side may be an older commit

    cases, name, run = {case.name: case for case in import_module(bench).cases()}, "", None
    for line in sys.stdin:
        try:
            if line.rstrip("\n") != name:
                name, run = line.rstrip("\n"), None
                run = cases[name].build()
            assert run is not None
            answer = timed(run)
        except Exception as error:  # the other commit may lack what the case requests
            answer, name = {"error": f"{type(error).__name__}: {str(error)[:80]}"}, ""
        print(json.dumps(answer), flush=True)


def timed(run: Callable[[], Any]) -> dict[str, Any]:
    """CPU seconds of one run, its jobs and a digest of its outcome."""
    began = time.process_time()
    outcome = run()
    seconds = time.process_time() - began
    return {"s": seconds, "jobs": len(getattr(outcome, "start_s", ())), "digest": digest(outcome)}


def digest(outcome: Any) -> str:
    """Of starts, hosts and ends of a schedule, or of what a decision starts, reserves and promises."""
    if hasattr(outcome, "place"):
        placed = [(int(each.job), *map(int, each.hosts)) for each in outcome.place]
        promised = [(int(job), float(at.start_s), *map(int, at.hosts)) for job, at in sorted(outcome.promises.items())]
        return blake2b(repr((placed, sorted(map(int, outcome.reserved)), promised)).encode()).hexdigest()[:16]
    columns = (outcome.start_s, outcome.host, outcome.end_s, outcome.status)
    return blake2b(b"".join(np.asarray(each).tobytes() for each in columns if each is not None)).hexdigest()[:16]


def tree_of(name: str) -> Path:
    """The folder of a working tree: `name` itself, or the commit checked out in `.benchmarks`."""
    if (Path(name) / "src" / "loadmaster").is_dir():
        return Path(name).resolve()
    git = ["git", "-C", str(HERE)]
    commit = subprocess.check_output([*git, "rev-parse", "--short=12", f"{name}^{{commit}}"], text=True).strip()
    folder = HERE / ".benchmarks" / commit
    if not folder.exists():
        subprocess.run([*git, "worktree", "add", "--detach", str(folder), commit], check=True, capture_output=True)
    return folder


if __name__ == "__main__":
    main(BENCHES, __doc__, THEN)
