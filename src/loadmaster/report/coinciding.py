"""Policies that coincide: they made the same runs throughout, so a page shows them as one."""

from collections import defaultdict
from dataclasses import replace

from loadmaster.report.comparison import Comparison, listed
from loadmaster.runs import Outcome
from loadmaster.runs.judgement import Judged, Judgement


def shown_as_one(comparison: Comparison) -> tuple[Comparison, dict[str, list[str]]]:
    """The comparison with one policy for each set of those that coincide, and the others by the one that stays.

    Policies coincide where no run under any load and discipline tells them apart: every measure, the queue, the use of
    the hosts and the waits are equal to the bit, and so is what samples say. Of a set stays the baseline, or the first.
    """
    found: dict[tuple[object, ...], list[str]] = defaultdict(list)
    for policy in comparison.policies:
        found[_signature(comparison, policy)].append(policy)
    sets = [sorted(names, key=lambda name: name != comparison.baseline) for names in found.values() if len(names) > 1]
    if not sets:
        return comparison, {}
    dropped = {name for names in sets for name in names[1:]}
    outcomes = [outcome for outcome in comparison.outcomes if outcome.setting.policy not in dropped]
    judgements = tuple(_without(each, dropped) for each in comparison.judgements)
    return replace(comparison, outcomes=outcomes, judgements=judgements), {names[0]: names[1:] for names in sets}


def coinciding_words(same: dict[str, list[str]]) -> list[str]:
    """A sentence for each policy that stands for others.

    Example:
        >>> coinciding_words({"first-fit": ["a", "b"]})
        ['The runs of first-fit, a and b are the same in all that is measured: they are shown as one, first-fit.']
    """
    return [
        f"The runs of {listed([name, *others])} are the same in all that is measured: they are shown as one, {name}."
        for name, others in same.items()
    ]


def _signature(comparison: Comparison, policy: str) -> tuple[object, ...]:
    """What two policies that coincide have alike."""
    runs = [_of_run(outcome) for outcome in comparison.outcomes if outcome.setting.policy == policy]
    said = [
        (judgement.load, row.setting.discipline, _interval(row), row.rank, row.lowest_in)
        for judgement in comparison.judgements
        for row in judgement.rows
        if row.setting.policy == policy
    ]
    return (*runs, *said)


def _interval(row: Judged) -> tuple[float, ...]:
    found = row.difference  # the baseline's own is none
    return (0.0, 0.0, 0.0) if found is None else (found.mean, found.low, found.high)


def _of_run(outcome: Outcome) -> tuple[object, ...]:
    setting, queue, use = outcome.setting, outcome.queue, outcome.use
    arrays = (queue.time_s, queue.length, use.used, use.stranded, outcome.wait_counts)
    return (
        setting.discipline, outcome.load, repr(outcome.metrics), repr(outcome.losses), repr(outcome.members),
        repr(outcome.stranded), outcome.faults, *(array.tobytes() for array in arrays),
    )  # fmt: skip


def _without(judgement: Judgement, dropped: set[str]) -> Judgement:
    return replace(
        judgement,
        rows=tuple(row for row in judgement.rows if row.setting.policy not in dropped),
        best=tuple(setting for setting in judgement.best if setting.policy not in dropped),
    )
