"""How many machines a target takes: the answer in words, and a row for each rule and kind (rules D14 and D15)."""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from loadmaster.measure.paired_comparison import ENOUGH_FOR_PERCENTILES
from loadmaster.measure.recorded_metrics import MOST_UNKNOWN, MOST_WITH_ROOM, recorded
from loadmaster.model import Cluster
from loadmaster.model.licences import show_amount
from loadmaster.model.units import show_seconds
from loadmaster.report.comparison import percent
from loadmaster.report.confidence import cut_sentence
from loadmaster.report.machines_claims import money
from loadmaster.runs import Case
from loadmaster.runs.added_hosts import AddedRange
from loadmaster.runs.machines import MachineSet
from loadmaster.runs.samples import Drawing
from loadmaster.search.fewest import Fewest, Target
from loadmaster.search.fewest_mixes import MixedRange, MixesTried
from loadmaster.search.fewest_sampled import Needed
from loadmaster.traces.hosts import short_form


@dataclass(frozen=True, eq=False)
class FewestRow:
    """One rule on one kind of machine.

    Attributes:
        machines: the jobs on the most machines that were to be tried.
        fewest: the answer of the log itself.
        needed: the answers of the samples; None without samples.
    """

    machines: MachineSet
    fewest: Fewest
    needed: Needed | None = None

    @property
    def cost_per_hour(self) -> float | None:
        """The cost of the fewest machines an hour; None if there are none, or prices are not known."""
        return None if self.fewest.cluster is None else self.fewest.cluster.cost_per_hour

    @property
    def cost(self) -> float | None:
        """What they cost from the first arrival until the last job ended (rule N3)."""
        if self.fewest.outcome is None or self.cost_per_hour is None:
            return None
        return self.cost_per_hour * self.fewest.outcome.metrics.makespan_s / 3600.0


@dataclass(frozen=True, eq=False)
class FewestFound:
    """The content of the answer of `fewest`.

    Attributes:
        case: the jobs, on the first machines.
        target: the waits that must not be exceeded.
        answers: by kind of machine, then discipline, then policy.
        remarks: what was left out or assumed, and whether data is synthetic.
        notes: what was assumed.
        command: the command that makes it again.
        currency: of the prices; empty where it was not said.
        drawing: how samples were drawn; None without.
        growth: times the jobs an hour of the log.
        mixes: the mixes of several kinds that were tried, under each rule; empty if none were.
        ended: what ended searches early, such as "at its limit of 10 s"; empty where all ended by themselves.
        interrupted: Ctrl-C did.
    """

    case: Case
    target: Target
    answers: tuple[FewestRow, ...]
    remarks: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    command: str = ""
    currency: str = ""
    drawing: Drawing | None = None
    growth: float = 1.0
    mixes: tuple[MixesTried, ...] = ()
    ended: str = ""
    interrupted: bool = False

    def mixes_under(self, each: FewestRow) -> MixesTried | None:
        """The mixes that were tried under the rule of an answer; None if none were."""
        return next((mixes for mixes in self.mixes if mixes.setting == each.fewest.setting), None)

    @property
    def adds(self) -> bool:
        """Whether hosts are added to a site: costs are those of the added hosts alone."""
        return any(isinstance(each.fewest.machines, AddedRange) for each in self.answers)

    @property
    def best(self) -> FewestRow | None:
        """The cheapest where all prices are known, else the fewest hosts; the first among equals, None without any."""
        feasible = [each for each in self.answers if each.fewest.number is not None]
        priced = all(each.cost_per_hour is not None for each in feasible)

        def price(each: FewestRow) -> float:
            assert each.fewest.cluster is not None
            return each.cost_per_hour or 0.0 if priced else each.fewest.cluster.hosts

        return min(feasible, key=price, default=None)


def answer(result: FewestFound) -> str:
    """The cheapest machines of those tried, where prices are known, else the fewest; or that none suffice."""
    return result.case.left_out_first + _finding(result)


def _finding(result: FewestFound) -> str:
    best = result.best
    if best is None and result.ended:
        runs = sum(len(each.fewest.tried) for each in result.answers)
        none = f"none of {runs:,} runs" if runs else "no run was made that"
        return f"The search ended {result.ended}: {none} has {result.target.words}; more time may find one."
    if best is None:
        most = ", ".join(
            dict.fromkeys(each.fewest.machines.words(each.fewest.machines.most) for each in result.answers)
        )
        return f"No number of these machines has {result.target.words}, not even {most}.{_amounts_bind(result)}"
    kinds = [each for each in result.answers if not isinstance(each.fewest.machines, MixedRange)]
    number, count = best.fewest.number, len({each.fewest.machines.name for each in kinds})
    assert number is not None
    priced = best.cost_per_hour is not None
    cost = f" for {money(best.cost_per_hour, result.currency)} an hour" if priced else ""
    if result.adds and not number:
        cost = ""  # the price of the hosts that are there already is not known
    alone = f": the {'cheapest' if priced else 'fewest'} of {count} kinds, each tried alone" if count > 1 else ""
    mixes = result.mixes_under(best)
    if mixes is not None:
        alone = f": the cheapest of {count} kinds alone and of {_mixes_in_words(mixes)}"
    words = best.fewest.machines.words(number)
    verb = "keeps" if words.startswith("1 more host ") else "keep"
    enough = f"{words[0].upper()}{words[1:]}{cost} {verb} {result.target.words}{_under(result, best)}{alone}"
    text = f"{enough}{_at_the_edge(best, result.ended)}{_sure(best)}."
    passed, waits = _waits_despite_room(result.case)
    if waits is None:
        return text
    if not result.target.met_by(waits):
        return f"No promise for the site: {passed}, and more machines do not end that. In the model alone, {text}"
    return f"{text} {passed[0].upper()}{passed[1:]}. More machines do not end that; this part alone keeps the target."


def _amounts_bind(result: FewestFound) -> str:
    """Whether licences and a power cap keep the target from being met, where no number of machines meets it."""
    runs = [(each.fewest.machines, each.fewest.uncounted) for each in result.answers if each.fewest.uncounted]
    if not runs:
        return ""
    enough = [machines for machines, run in runs if result.target.met_by(run.metrics)]
    rules = result.case.cluster.rules
    assert rules is not None
    what = [f"{name}={show_amount(name, amount)}" for name, amount in rules.licences]
    what += [f"a power cap of {max(watts for _, watts in rules.power_cap):,.6g} W"] if rules.power_cap else []
    amounts = ", ".join(what)
    if not enough:
        return f" Nor has any number without the limits of the whole cluster ({amounts})."
    there = enough[0].words(enough[0].most)
    return f" The limit is {amounts}: without it, {there} keep the target."


class _RoomWaits(NamedTuple):
    """What jobs waited while there was room, as the waits of a run."""

    mean_wait_s: float
    p95_wait_s: float
    p99_wait_s: float
    unstarted: int = 0


def _waits_despite_room(case: Case) -> tuple[str, _RoomWaits | None]:
    """That most of the recorded waiting passed while there was room, and those waits; mostly empty and None.

    The site had at least what its jobs used at the busiest moment: room below that was room there.
    """
    record = recorded(case.workload, case.cluster, case.launch_s)
    if record is None or record.unknown > MOST_UNKNOWN * record.jobs or not record.mean_wait_s > 0:
        return "", None
    used = np.array([[record.peak[name] for name in case.cluster.resources]]) * case.cluster.total
    busiest = recorded(case.workload, Cluster(case.cluster.resources, used), case.launch_s)
    if busiest is None or not busiest.with_room > MOST_WITH_ROOM:
        return "", None
    p95_s, p99_s = np.quantile(busiest.room_s, (0.95, 0.99)).tolist()
    wait, part = show_seconds(record.mean_wait_s), percent(busiest.with_room)
    passed = f"jobs really waited {wait} on average, and {part} of that passed while there was room"
    return passed, _RoomWaits(float(busiest.room_s.mean()), p95_s, p99_s)


def _at_the_edge(best: FewestRow, ended: str) -> str:
    """What is known of fewer: the search has tried one fewer, unless that was not asked about, or the time was up."""
    least, number = best.fewest.machines.least, best.fewest.number
    if isinstance(best.fewest.machines, MixedRange):
        return ""
    if best.fewest.ended and number is not None and best.fewest.missed + 1 < number:
        low, high = best.fewest.missed + 1, number - 1
        untried = f"{low:,} to {high:,}" if low < high else f"{high:,}"
        return f"; best found, as the search ended {ended} and did not rule out {untried}"
    if number is None or number > least:
        return "; one fewer does not"
    return f"; fewer than {least} were not tried" if least > 1 else ""


def _mixes_in_words(mixes: MixesTried) -> str:
    """What was searched for a mix."""
    runs = f"{mixes.runs:,} mix{'' if mixes.runs == 1 else 'es'} tried"
    if mixes.all_cheaper:
        return f"all their mixes ({runs})"
    return f"{runs}, and a mix that was not tried may be cheaper"


def _under(result: FewestFound, best: FewestRow) -> str:
    several = len({each.fewest.setting for each in result.answers}) > 1
    return f", under {rule_of(best)}" if several else ""


def rule_of(each: FewestRow) -> str:
    """Policy and discipline."""
    return f"{each.fewest.setting.policy}, {each.fewest.setting.discipline}"


def _sure(best: FewestRow) -> str:
    needed = best.needed
    if needed is None:
        return ""
    count = len(needed.numbers)
    if needed.because:
        return f"; over {count} logs with shaken arrivals {between(best)}, which is no interval: {needed.because}"
    ends = {"percentile": "middle 95 %", "spread": "95 % interval by their spread", "range": "the least to the most"}
    need = f"{count} logs like it need {between(best)} ({ends[needed.how]})"
    return f"; {need}, and {best.fewest.number} are enough in {percent(needed.met_in)} of them"


def between(each: FewestRow) -> str:
    """The numbers that samples need."""
    needed, most = each.needed, each.fewest.machines.most
    assert needed is not None
    low, high = (f"more than {most}" if n is None else f"{n:,}" for n in (needed.low, needed.high))
    return low if low == high else f"{low} to {high}"


def answer_row(result: FewestFound, each: FewestRow) -> dict[str, Any]:
    """The row of `fewest --json`; null where there is no answer, or no samples were drawn."""
    fewest, needed = each.fewest, each.needed
    mixes = result.mixes_under(each)
    cluster, metrics = fewest.cluster, None if fewest.outcome is None else fewest.outcome.metrics
    row: dict[str, Any] = {
        "hosts": fewest.machines.name,
        "policy": fewest.setting.policy,
        "discipline": fewest.setting.discipline,
        "least": fewest.machines.least,
        "most": fewest.machines.most,
        "fewest": fewest.number,
        "machines": None if cluster is None else short_form(cluster),
        "count": None if cluster is None else cluster.hosts,
        "mixed": isinstance(fewest.machines, MixedRange),
        "mixes_tried": None if mixes is None else mixes.runs,
        "ended": fewest.ended,
        "all_cheaper_tried": None if mixes is None else mixes.all_cheaper,
        "load": None if fewest.outcome is None else _finite(fewest.outcome.load),
    }
    waits = ("mean_wait_s", "p95_wait_s", "p99_wait_s", "longest_wait_s")
    row |= {name: None if metrics is None else getattr(metrics, name) for name in waits}
    row |= {"cost_per_hour": each.cost_per_hour, "cost": each.cost, "currency": result.currency or None}
    row |= {
        "samples": 0 if needed is None else len(needed.numbers),
        "fewest_low": None if needed is None else needed.low,
        "fewest_high": None if needed is None else needed.high,
        "interval": None if needed is None else "chaos" if needed.because else needed.how,
        "met_in": None if needed is None else needed.met_in,
        "p95_wait_low_s": None if needed is None else needed.p95_low_s,
        "p95_wait_high_s": None if needed is None else needed.p95_high_s,
        "dependencies_cut": None if needed is None else needed.cut,
    }
    return row


def details(result: FewestFound) -> list[str]:
    """What stands below the answer: the waits there, and how near the next fewer comes."""
    best = result.best
    if best is None or best.fewest.outcome is None:
        return []
    m, number = best.fewest.outcome.metrics, best.fewest.number
    lines = [
        f"On this log jobs wait {show_seconds(m.mean_wait_s)} there on average, p95 {show_seconds(m.p95_wait_s)}, "
        f"p99 {show_seconds(m.p99_wait_s)}, at most {show_seconds(m.longest_wait_s)}."
    ]
    fewer = next((outcome for tried, outcome in best.fewest.tried if tried + 1 == number), None)
    if fewer is not None and not fewer.metrics.unstarted:
        f = fewer.metrics
        lines.append(
            f"With one machine fewer: {show_seconds(f.mean_wait_s)} on average, p95 {show_seconds(f.p95_wait_s)}, p99 "
            f"{show_seconds(f.p99_wait_s)}."
        )
    if isinstance(best.fewest.machines, MixedRange):
        lines.append("This is one log; --samples works only with a single kind of machine.")
    elif best.needed is None:
        lines.append("This is one log: --samples 100 shows what other logs like it would need.")
    else:
        low, high = show_seconds(best.needed.p95_low_s), show_seconds(best.needed.p95_high_s)
        part = "all" if len(best.needed.numbers) < ENOUGH_FOR_PERCENTILES else "the middle 95 %"
        lines.append(f"With these machines p95 is between {low} and {high} in {part} of the samples.")
        lines += [cut_sentence(best.needed.cut)] if best.needed.cut else []
    return lines


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
