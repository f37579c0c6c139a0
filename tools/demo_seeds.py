"""What the demo would say at other seeds: the mean wait of Mix-Fit against first fit at twenty of them.

    python tools/demo_seeds.py

The demo's log is one draw of a generator. This prints the change at each of the seeds 0 to 19, their mean with its 95 %
interval, the median, and the seed nearest to it, which `traces.demo_log` takes; what it prints there is cited.
"""

import math

import numpy as np

from loadmaster.runs import Setting, Threads, case_of
from loadmaster.runs.sweep import sweep
from loadmaster.traces.demo_log import TWENTY, drawn

SEEDS = range(TWENTY.seeds)
POLICIES = ("first-fit", "best-fit-cores", "best-fit-memory", "mix-fit", "opportunity-cost", "max-jobs")
T_19 = 2.093  # 97.5 % quantile of Student's t with 19 degrees of freedom


def main() -> None:
    """Run them and print a table."""
    changes = []
    print("seed " + " ".join(f"{name:>16}" for name in POLICIES))
    for seed in SEEDS:
        outcomes = sweep(case_of(drawn(seed)), [Setting(name) for name in POLICIES], None, Threads())
        waits = np.array([outcome.metrics.mean_wait_s for outcome in outcomes])
        changes.append(waits / waits[0] - 1)
        print(
            f"{seed:4} " + " ".join(f"{part:16.1%}" for part in changes[-1]), f"  (first-fit {waits[0] / 60:.1f} min)"
        )
    table = np.array(changes)
    half = T_19 * table.std(axis=0, ddof=1) / math.sqrt(len(table))
    print("mean " + " ".join(f"{mean:8.1%} +-{more:5.1%}" for mean, more in zip(table.mean(axis=0), half, strict=True)))
    mixed = table[:, POLICIES.index("mix-fit")]
    print(
        f"Mix-Fit: median {np.median(mixed):.1%}, from {mixed.min():.1%} to {mixed.max():.1%}, "
        f"standard deviation {mixed.std(ddof=1):.1%}, lower at {int((mixed < 0).sum())} of {len(mixed)}"
    )
    nearest = sorted(SEEDS, key=lambda seed: abs(mixed[seed] - np.median(mixed)))[:4]
    print("nearest to the median: " + ", ".join(f"{seed} ({mixed[seed]:.1%})" for seed in nearest))


if __name__ == "__main__":
    main()
