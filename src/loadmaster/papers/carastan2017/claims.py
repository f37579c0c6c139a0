"""The paper's claims beside our runs: each fitted policy has a lower mean bounded slowdown than each known one."""

from typing import NamedTuple

import numpy as np

from loadmaster.papers.claim import Claim, all_of, exceeds
from loadmaster.papers.estimate import Estimate, mean_of
from loadmaster.papers.log_sequences import LogSequences
from loadmaster.papers.queue_runs import Rows, over_parts

FITTED = ("f1", "f2", "f3", "f4")
KNOWN = ("fcfs", "wfp3", "unicef", "sjf")
ORDERS = (*KNOWN, *FITTED)
NAMES = {"fcfs": "FCFS", "wfp3": "WFP3", "unicef": "UNICEF", "sjf": "SPT"} | {name: name.upper() for name in FITTED}
FIELD = "bounded_slowdown"


class Condition(NamedTuple):
    """One setting of the experiments.

    Attributes:
        name: in words.
        backfilling: of all orders.
        estimates: what the orders and the backfilling expect.
    """

    name: str
    backfilling: str
    estimates: str

    def discipline(self, order: str) -> str:
        """The discipline of `order` here."""
        return f"{order}+{self.backfilling}"


CONDITIONS = (
    Condition("runtimes known", "none", "exact"),
    Condition("user estimates", "none", "user"),
    Condition("user estimates, EASY backfilling", "easy", "user"),
)


def below(rows: Rows, log: LogSequences, condition: Condition) -> list[Claim]:
    """A claim for each known policy: all four fitted policies are below it."""
    return [_below_one(rows, log, condition, known) for known in KNOWN]


def ratio(rows: Rows, log: LogSequences, condition: Condition, ours: str, theirs: str) -> Estimate:
    """The logarithm of the mean bounded slowdown of `theirs` over that of `ours`, over paired sequences."""
    one, other = (over_parts(rows, log, condition.discipline(o), condition.estimates, FIELD) for o in (ours, theirs))
    return mean_of(np.log(other) - np.log(one))


def estimates_cost(rows: Rows, log: LogSequences) -> Claim:
    """The fitted policies lose less from wrong estimates than they gain: still below FCFS with known runtimes."""
    known, asked = CONDITIONS[0], CONDITIONS[1]
    one = over_parts(rows, log, asked.discipline("f1"), asked.estimates, FIELD)
    other = over_parts(rows, log, known.discipline("fcfs"), known.estimates, FIELD)
    found = mean_of(np.log(other) - np.log(one))
    return Claim(
        log.name,
        "F1 with user estimates has a lower mean bounded slowdown than FCFS, which uses none",
        "lower",
        f"{_part(found)} of FCFS",
        exceeds(found),
        _GATE,
        found.n,
    )


def without_logs() -> Claim:
    """What stands where no real log was given."""
    return Claim(
        "real logs",
        "the policies still improve on logs of other machines",
        "important improvements",
        "",
        "not measured",
        note="give --traces with logs of the Parallel Workloads Archive, such as CTC-SP2-1996",
    )


_GATE = "the interval of the mean log ratio over paired sequences lies above 0"


def _below_one(rows: Rows, log: LogSequences, condition: Condition, known: str) -> Claim:
    found = {order: ratio(rows, log, condition, order, known) for order in FITTED}
    return Claim(
        f"{log.name}, {condition.name}",
        f"F1 to F4 have a lower mean bounded slowdown than {NAMES[known]}",
        "dramatic improvement" if not log.credit else "important improvement",
        ", ".join(f"{NAMES[order]} {_part(found[order])}" for order in FITTED) + f" of {NAMES[known]}",
        all_of([exceeds(each) for each in found.values()]),
        f"for each of the four {_GATE}",
        found["f1"].n,
        _note(found, known),
    )


def _note(found: dict[str, Estimate], known: str) -> str:
    higher = [NAMES[order] for order, each in found.items() if each.measured and not each.low > 0]
    return f"not surely below {NAMES[known]}: {', '.join(higher)}" if higher else ""


def _part(log_ratio: Estimate) -> str:
    """Ours over theirs in percent with its interval, from the log of theirs over ours."""
    if not log_ratio.measured:
        return "no value"
    value, low, high = (100 * np.exp(-each) for each in (log_ratio.value, log_ratio.high, log_ratio.low))
    return f"{value:.0f} % [{low:.0f}, {high:.0f}]"
