"""What Shai 2014 published, and the names it uses."""

from typing import NamedTuple

TITLE = "Shai 2014: heuristics for resource matching in Intel's compute farm"

SINGLE = ("best-fit-cores", "best-fit-memory", "worse-fit-cores", "worse-fit-memory")
"""The heuristics that look at one resource, in the order of section 3."""
MIX = "mix-fit"
MAX = "max-jobs"
HEURISTICS = (*SINGLE, MIX)
POLICIES = (*HEURISTICS, MAX)
"""The six lines of Figures 6.1 to 6.3."""
NAMES = {
    "best-fit-cores": "Best-Fit-Cores", "best-fit-memory": "Best-Fit-Memory", "worse-fit-cores": "Worse-Fit-Cores",
    "worse-fit-memory": "Worse-Fit-Memory", "mix-fit": "Mix-Fit", "max-jobs": "Max-Jobs", "first-fit": "First-Fit",
}  # fmt: skip


class Totals(NamedTuple):
    """One column of Table 2.1."""

    jobs: int
    users: int
    machines: int
    cores: int


TABLE_2_1 = {
    "A": Totals(13_368_191, 1_104, 1_633, 16_588),
    "B": Totals(13_085_800, 1_615, 3_115, 33_300),
    "C": Totals(13_313_793, 1_146, 1_499, 18_816),
    "D": Totals(9_054_066, 862, 2_692, 40_372),
}

BUCKET = 1000
"""Jobs in a bucket (section 3.2)."""
NOT_WON = (0.06, 0.37)
"""Parts of the buckets in which Worse-Fit-Cores was not among the best (section 3.3)."""
INTERVAL_S = 30.0
REDUCTIONS = {"wait": 0.22, "slowdown": 0.23, "queue": 0.22}
"""By how much Mix-Fit lowered each metric in pool A at the highest load."""
MAX_JOBS_REDUCTION = 0.22
"""Max-Jobs lowered the mean wait by up to so much (abstract)."""
LEAST_MIX_SHARE = 0.73
"""Part of the cycles in which Max-Jobs chose Mix-Fit, in pool A, where it was lowest (Figure 6.4)."""
