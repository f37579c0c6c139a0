"""Gives jobs to a real Slurm, and sets what it did beside what `--site` makes of them.

`python tools/beside_slurm DIR --jobs 60 --span 60` gives sixty jobs to a Slurm of its own, with `--set bound` jobs of
several hosts to one with limits and a reservation. In DIR then stand `slurm.conf`, `accounts.txt` and `log.sacct`, as a
site would hand them over, and beside them `priorities.txt`, `shares.txt` and `reservations.txt`: what Slurm made of
each. It takes some minutes, root and Debian's packages of Slurm, and leaves nothing behind.

`python tools/beside_slurm DIR [OTHER...] --report` says how far our model of the site is from what DIR records, and how
far other records of the same jobs are from it: no model comes nearer than Slurm to itself.
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "set_ups"))

import jobs
import nearness
import real_slurm
import settings
import watch


def main() -> int:
    """Record; exit code 2 where no Slurm can be started."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("others", type=Path, nargs="*")
    parser.add_argument("--report", action="store_true")
    parser.add_argument("--jobs", type=int, default=60)
    parser.add_argument("--span", type=float, default=60.0, help="seconds from the first submission to the last")
    parser.add_argument("--set", choices=sorted(settings.SETS), default="plain")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    if asked.report:
        real = nearness.recorded(asked.folder)
        print(f"{asked.folder}, our model: {nearness.apart(real, nearness.modelled(asked.folder))}")
        for other in asked.others:
            print(f"{asked.folder}, {other}: {nearness.apart(real, nearness.recorded(other))}")
        return 0
    if reason := real_slurm.why_not():
        print(reason, file=sys.stderr)
        return 2
    record(asked.folder, asked.jobs, asked.span, asked.seed, settings.SETS[asked.set])
    return 0


def record(folder: Path, count: int, span_s: float, seed: int, given: settings.Set) -> None:
    """Run `count` jobs and write the files."""
    folder.mkdir(parents=True, exist_ok=True)
    with real_slurm.real_slurm(given.hosts, given.settings, given.accounts) as slurm:
        with watch.watching(slurm) as seen:
            reserved = jobs.submit(slurm, jobs.made(count, seed, span_s, given), given.reservation)
            log = jobs.recorded(slurm)
        tables = [slurm.run("sacctmgr", "show", *what, "-P") for what in (("assoc", "tree"), ("qos",))]
        (folder / "slurm.conf").write_text(slurm.conf.read_text())
    (folder / "accounts.txt").write_text("".join(tables))
    (folder / "log.sacct").write_text(log)
    (folder / "reservations.txt").write_text(reserved)
    for name, lines in seen.items():
        (folder / f"{name}.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    sys.exit(main())
