"""What tuned orders with EASY gain on real logs of one pool of processors, on weeks that the search never saw.

    python tools/tuned_orders.py ../shared/traces --trials 24 -o tuned

prints for each log the answer, its notes and the table of all rules on the held-out weeks, as they stand in
docs/explanation/tuning.md. Each log takes some minutes of processor time. A run that was stopped goes on.
"""

import argparse
from pathlib import Path
from typing import NamedTuple

import loadmaster as lm
from loadmaster.report.tune_claims import gain_sentences, rule_table
from loadmaster.tuning.weeks import week_of


class RealLog(NamedTuple):
    """A log, its machine, and the weeks of it that are used.

    Attributes:
        name: of what is used.
        file: its name in the archive.
        hosts: one pool of as many processors as the log names, memory enough for all.
        first, last: weeks, the last one not among them.
        hold_out: the part of them that is held out.
        interval: between scheduling cycles.
    """

    name: str
    file: str
    hosts: str
    first: int
    last: int
    hold_out: float = 0.5
    interval: str = "30s"


HPC2N = "HPC2N-2002-2.2-cln.swf.gz"
LOGS = (
    RealLog("ctc", "CTC-SP2-1996-3.1-cln.swf.gz", "1x338c", 0, 49),
    RealLog("hpc2n", HPC2N, "1x240c1000g", 60, 120),  # as many jobs as CTC-SP2 has
    RealLog("hpc2n-whole", HPC2N, "1x240c1000g", 0, 181, 105 / 180, "0"),  # two thirds of the jobs, at every event
)


def main() -> None:
    """Tune an order on every log that is there."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("traces", type=Path)
    asked.add_argument("--only", default="", help="names, parted by commas")
    asked.add_argument("--trials", type=int, default=24)
    asked.add_argument("-o", "--out", type=Path, default=Path("tuned"))
    options = asked.parse_args()
    for log in LOGS:
        if not options.only or log.name in options.only.split(","):
            _tune(options.traces, log, options.trials, options.out / log.name)


def _tune(traces: Path, log: RealLog, trials: int, out: Path) -> None:
    made = lm.tune(
        _weeks(traces, log),
        log.hosts,
        trials=trials,
        policy="first-fit",
        discipline="easy",
        hold_out=log.hold_out,
        interval=log.interval,
        out=out,
    )
    print(f"\n{log.name}: {log.file}, {log.hosts}, weeks {log.first} to {log.last - 1}\n{made.answer}")
    print(*made.notes, *gain_sentences(made.tuning), sep="\n")
    heads, rows = rule_table(made.tuning)
    for row in [heads, *rows]:
        print(" | ".join(row))
    print(made.rule.text if made.rule is not None else "no winner")


def _weeks(traces: Path, log: RealLog) -> lm.Workload:
    """The jobs that arrived in those weeks."""
    jobs = lm.read(traces / log.file, hosts=log.hosts).workload
    week = week_of(jobs)
    return jobs.take((week >= log.first) & (week < log.last))


if __name__ == "__main__":
    main()
