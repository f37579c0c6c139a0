"""Throws broken input at the command line: `python tools/fuzz --kind readers --cases 1000 --seed 1`.

A case is made from its kind, the seed and its number alone: `--only NUMBER` makes one again and keeps its folder.
What is wrong: a traceback, an exit code other than 0, 1, 2 and 130, more than 20 s, NaN or Infinity in any JSON, a
refusal that is not one line or longer than 400 characters.
"""

import argparse
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import options
import readers
import sites
import states
import stores
from cases import Case, Maker, draw
from process import Workers, fresh
from samples import JOBS
from verdict import faults

KINDS: dict[str, Maker] = {
    "readers": readers.make,
    "options": options.make,
    "stores": stores.make,
    "states": states.make,
    "sites": sites.make,
}
WARM = (
    ("--policies", "first-fit,best-fit-cores"),
    ("--policies", "dot-product"),
    ("--disciplines", "easy,conservative"),
)
"""What `compare` is asked for beforehand."""
FRESH_EVERY = 40
"""Every so many cases one is run in a process of its own."""


def main() -> int:
    """Run the cases asked for; exit code 1 if any shows a fault."""
    asked = _arguments()
    home = Path(tempfile.mkdtemp(prefix="fuzz-"))
    print(f"seed {asked.seed}, kinds {', '.join(asked.kind)}, {asked.cases} cases each, in {home}", flush=True)
    if not asked.cold:
        warm_up(home / "warm")
    began = time.monotonic()
    if asked.only is not None:
        return show(asked.kind[0], asked.seed, asked.only, home)
    with Workers() as workers:
        wrong = sum(
            series(kind, asked.seed, range(asked.first, asked.first + asked.cases), home, workers, asked.minutes)
            for kind in asked.kind
        )
    print(f"{wrong} wrong in {time.monotonic() - began:.0f} s")
    if not wrong:
        shutil.rmtree(home, ignore_errors=True)
    return 1 if wrong else 0


def warm_up(folder: Path) -> None:
    """Have the kernels compiled that most cases need, so that no case waits for them."""
    folder.mkdir()
    (folder / "log.csv").write_text(JOBS)
    for arguments in WARM:
        result = fresh(Case(folder, ("compare", "log.csv", "--hosts", "4x8c32g", *arguments), limit_s=600.0))
        if result.code != 0:
            raise SystemExit(f"sound input is refused: {result.err[-500:]}")
    fresh(
        Case(folder, ("share", "log.csv", "--hosts", "4x8c32g", "--methods", "pvm,fractional,pcfc-sg"), limit_s=600.0)
    )
    shutil.rmtree(folder)


def series(kind: str, seed: int, numbers: Iterable[int], home: Path, workers: Workers, minutes: float) -> int:
    """Run these cases of one kind; says what is wrong with which and returns how many are. Sound ones leave nothing."""
    codes, wrong, ends = Counter[int](), 0, time.monotonic() + minutes * 60.0
    for number in numbers:
        if time.monotonic() > ends:
            break
        folder = home / f"{kind}-{number}"
        case = draw(KINDS[kind], kind, seed, number, folder)
        alone = case.alone or number % FRESH_EVERY == 0
        result = fresh(case) if alone else workers.run(case)
        if result.seconds > case.limit_s and not case.alone:  # the machine may have been busy: once more, alone
            result = fresh(draw(KINDS[kind], kind, seed, number, folder))
        codes[result.code] += 1
        found = faults(case, result)
        if found:
            wrong += 1
            print(f"{kind} seed {seed} case {number}: {'; '.join(found)}\n    {case.said()}", flush=True)
        else:
            shutil.rmtree(folder, ignore_errors=True)
    print(f"{kind}: {sum(codes.values())} cases, exit codes {dict(sorted(codes.items()))}, {wrong} wrong", flush=True)
    return wrong


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
