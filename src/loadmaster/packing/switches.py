"""The options of MCB and of the greedy packers; this module loads none of them."""

from dataclasses import dataclass
from typing import Literal

ATTEMPTS = 500_000
"""The bound on attempts that Casanova et al. 2008 use for backtracking (section 3.3)."""

AttemptCounts = Literal["examined", "fitted"]
"""What counts as an attempt: every host examined for a task, or only those that it fits. The paper does not say."""


@dataclass(frozen=True)
class McbSwitches:
    """Readings that the paper leaves open, and two options of ours.

    Attributes:
        threshold: the bisection ends when its interval is no longer than this.
        probe_high: try the upper bound itself first; can only help.
        grid: after the bisection, try this many levels evenly between its result and the bound, for success is not
            monotone in the level; 0 for none.
        report: the level reported: of the `mapping` that was found, or of the last successful `probe`, which is no
            higher. Only the first reproduces the paper's Table 1.
    """

    threshold: float = 1e-4
    probe_high: bool = True
    grid: int = 0
    report: Literal["mapping", "probe"] = "mapping"


DEFAULT = McbSwitches()

PAPER = McbSwitches(threshold=1e-3, probe_high=False)
"""What reproduces the paper: a first probe at half the bound, and a bisection down to 0.001."""
