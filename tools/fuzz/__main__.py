"""Throws broken input at the command line: `python tools/fuzz --kind readers --cases 1000 --seed 1`.

A case is made from its kind, the seed and its number alone: `--only NUMBER` makes one again and keeps its folder.
What is wrong: a traceback, an exit code other than 0, 1, 2 and 130, more processor seconds than `--limit`, NaN or
Infinity in any JSON, a refusal that is not one line or longer than 400 characters.

`--total 20000` shares so many cases among all kinds, a third of them deep: sound logs that pass the readers and try
the engines and the pages.
"""

import argparse
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import deep
import options
import readers
import sites
import states
import stores
from cases import Case, Maker, draw
from process import Workers, fresh
from samples import JOBS
from verdict import faults, hangs, has_traceback

KINDS: dict[str, Maker] = {
    "readers": readers.make,
    "options": options.make,
    "stores": stores.make,
    "states": states.make,
    "sites": sites.make,
    "deep": deep.make,
}
WARM = (
    ("--policies", "first-fit,best-fit-cores"),
    ("--policies", "dot-product"),
    ("--disciplines", "easy,conservative"),
)
"""What `compare` runs beforehand."""
FRESH_EVERY = 40
"""Every so many cases one is run in a process of its own."""


@dataclass
class Tally:
    """What has come of the cases so far."""

    cases: int = 0
    deep: int = 0
    tracebacks: int = 0
    hangs: int = 0
    wrong: int = 0

    def said(self, seconds: float) -> str:
        """In one line."""
        return (
            f"{self.cases} cases ({self.deep} deep), {self.tracebacks} tracebacks, {self.hangs} hangs, "
            f"{self.wrong} wrong in {seconds:.0f} s"
        )


def main() -> int:
    """Run the cases requested; exit code 1 if any shows a fault."""
    asked = _arguments()
    home = Path(tempfile.mkdtemp(prefix="fuzz-"))
    shares = _shares(asked.total, asked.kind) if asked.total else dict.fromkeys(asked.kind, asked.cases)
    print(f"seed {asked.seed}, cases {shares}, in {home}", flush=True)
    if not asked.cold:
        warm_up(home / "warm", WARM + deep.WARM if "deep" in shares else WARM)
    began, tally = time.monotonic(), Tally()
    if asked.only is not None:
        return show(asked.kind[0], asked.seed, asked.only, home)
    with Workers() as workers:
        for kind, cases in shares.items():
            numbers = range(asked.first, asked.first + cases)
            series(kind, asked.seed, numbers, home, workers, asked.minutes, asked.limit, tally)
    print(tally.said(time.monotonic() - began))
    if not tally.wrong:
        shutil.rmtree(home, ignore_errors=True)
    return 1 if tally.wrong else 0


def _shares(total: int, kinds: list[str]) -> dict[str, int]:
    """How many cases of each kind: a third deep, the rest shared alike."""
    others = [kind for kind in kinds if kind != "deep"]
    deep_cases = 0 if "deep" not in kinds else -(-total // 3) if others else total
    rest = total - deep_cases
    return {"deep": deep_cases} | {
        kind: rest // len(others) + (place < rest % len(others)) for place, kind in enumerate(others)
    }


def warm_up(folder: Path, calls: Iterable[tuple[str, ...]]) -> None:
    """Have the kernels compiled that most cases need, so that no case waits for them."""
    folder.mkdir()
    (folder / "log.csv").write_text(JOBS)
    for arguments in calls:
        result = fresh(Case(folder, ("compare", "log.csv", "--hosts", "4x8c32g", *arguments), limit_s=900.0))
        if result.code != 0:
            raise SystemExit(f"sound input is refused: {result.err[-500:]}")
    fresh(
        Case(folder, ("share", "log.csv", "--hosts", "4x8c32g", "--methods", "pvm,fractional,pcfc-sg"), limit_s=900.0)
    )
    shutil.rmtree(folder)


def series(
    kind: str,
    seed: int,
    numbers: Iterable[int],
    home: Path,
    workers: Workers,
    minutes: float,
    limit_s: float,
    tally: Tally,
) -> None:
    """Run these cases of one kind, count them in `tally`, say what is wrong with which. Sound ones leave nothing."""
    codes, wrong, ends = Counter[int](), 0, time.monotonic() + minutes * 60.0
    for number in numbers:
        if time.monotonic() > ends:
            break
        folder = home / f"{kind}-{number}"
        case = limited(draw(KINDS[kind], kind, seed, number, folder), limit_s)
        alone = case.alone or number % FRESH_EVERY == 0
        result = fresh(case) if alone else workers.run(case)
        if hangs(case, result) and not case.alone:  # the machine may have been busy: once more, alone
            result = fresh(limited(draw(KINDS[kind], kind, seed, number, folder), limit_s))
        codes[result.code] += 1
        tally.tracebacks += has_traceback(result)
        tally.hangs += hangs(case, result)
        found = faults(case, result)
        if found:
            wrong += 1
            print(f"{kind} seed {seed} case {number}: {'; '.join(found)}\n    {case.said()}", flush=True)
        else:
            shutil.rmtree(folder, ignore_errors=True)
    tally.cases += sum(codes.values())
    tally.deep += sum(codes.values()) if kind == "deep" else 0
    tally.wrong += wrong
    print(f"{kind}: {sum(codes.values())} cases, exit codes {dict(sorted(codes.items()))}, {wrong} wrong", flush=True)


def limited(case: Case, limit_s: float) -> Case:
    """`case`, which hangs after so many processor seconds, or after its own limit where that is longer."""
    return replace(case, limit_s=max(limit_s, case.limit_s))


def show(kind: str, seed: int, number: int, home: Path) -> int:
    """Make one case again, print all that it prints, keep its folder."""
    case = draw(KINDS[kind], kind, seed, number, home / f"{kind}-{number}")
    result = fresh(case)
    print(f"{case.said()}\n{result.out}\n{result.err}\nexit code {result.code} after {result.seconds:.1f} s")
    found = faults(case, result)
    print("; ".join(found) or "nothing wrong")
    return 1 if found else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kind", action="append", choices=[*KINDS], help="what to break; all kinds if not given")
    parser.add_argument("--cases", type=int, default=200, help="of each kind")
    parser.add_argument("--total", type=int, help="of all kinds together, a third of them deep")
    parser.add_argument("--limit", type=float, default=20.0, help="processor seconds after which a case hangs")
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--cold", action="store_true", help="compile nothing beforehand")
    parser.add_argument("--minutes", type=float, default=1e6, help="of each kind, at most")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", type=int, help="make this case again, in a process of its own, and keep its folder")
    asked = parser.parse_args()
    asked.kind = asked.kind or [*KINDS]
    return asked


if __name__ == "__main__":
    sys.exit(main())
