"""The type of a placement policy: a function that rates one host for one task."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from loadmaster.model.arrays import Floats
from loadmaster.model.errors import InputError

Score = Callable[..., float]
"""`score(demand, free, capacity)` or `score(demand, free, capacity, context)`: lower is better.

Called only for hosts that fit; all three arrays are float64[R]; ties go to the lower host index.
"""


class Context(NamedTuple):
    """Further data for a score, beyond the task and the host.

    Attributes:
        host: index of the host being rated.
        hosts: number of hosts in the cluster.
        last_host: host that got the last task, -1 before the first.
        task: number of the task in its workload.
        seed: the run's seed.
    """

    host: int
    hosts: int
    last_host: int
    task: int
    seed: int


@dataclass(frozen=True)
class Policy:
    """A named placement policy.

    Attributes:
        name: as on the command line.
        score: the function.
        summary: one line for `loadmaster policies`.
        source: where it was published.
        contextual: the score takes a `Context` as fourth argument.
        varies: the score of an untouched host may differ from task to task, so it is never remembered.
    """

    name: str
    score: Score
    summary: str = ""
    source: str = ""
    contextual: bool = False
    varies: bool = False

    def rate(self, demand: Floats, free: Floats, capacity: Floats, context: Context) -> float:
        """The score as plain Python computes it."""
        if self.contextual:
            return float(self.score(demand, free, capacity, context))
        return float(self.score(demand, free, capacity))


def rated(
    policy: Policy, demand: Floats, free: Floats, capacity: Floats, context: Context, *, may_refuse: bool = False
) -> float:
    """The score as every plain engine takes it: a finite number; the rows are given `read_only`.

    Where the host has no room, which only shared hosts are asked about, it `may_refuse`: infinity is allowed.

    Raises:
        InputError: the policy fails, writes into its arguments, or gives no finite number.
    """
    try:
        score = policy.rate(demand, free, capacity, context)
    except InputError:
        raise
    except Exception as error:  # a user's function may fail in any way
        raise failed(policy.name, error) from error
    if not math.isfinite(score) and not (may_refuse and score == math.inf):
        raise not_finite(policy.name)
    return score


def not_finite(name: str, hint: str = "") -> InputError:
    """The refusal of a policy that rates a host with NaN or infinity."""
    rule = "a score must be a finite number"
    return InputError(name, rule, fix=hint or "check its formula for 0/0 or infinity")


def failed(name: str, error: Exception) -> InputError:
    """The refusal of a policy that ends in an error of its own; 0/0 is refused as NaN, which it is where compiled."""
    if isinstance(error, ArithmeticError):
        return not_finite(name, f"its formula ends in {type(error).__name__}: {error}")
    if "read-only" in str(error):
        return InputError(name, "a policy must not change its arguments", fix="work on a copy")
    return InputError(name, f"this policy fails: {type(error).__name__}: {str(error)[:120]}")


def read_only(amounts: Floats) -> Floats:
    """The same amounts, which cannot be written to through what is given back."""
    view = amounts.view()
    view.flags.writeable = False
    return view
