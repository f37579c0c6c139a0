"""The columns of a comparison's table: one list, shown in the terminal and on the page."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from loadmaster.report.comparison import Comparison, Group, percent
from loadmaster.runs import Outcome

BEST = "★"
_TIES = 1e-9


@dataclass(frozen=True)
class Column:
    """One measure of a run.

    Attributes:
        title: the heading, with the unit.
        value: reads it from a run.
        show: writes it.
        lower_is_better: mark the lowest; None to mark nothing.
    """

    title: str
    value: Callable[[Outcome], float]
    show: Callable[[float], str]
    lower_is_better: bool | None = True


def columns_for(comparison: Comparison) -> list[Column]:
    """The columns that suit the data: times in a unit that fits, and every resource's use."""
    unit, size = unit_for([outcome.metrics.mean_wait_s for outcome in comparison.outcomes])

    def seconds(value: float) -> str:
        return short(value / size)

    columns = [
        Column(f"mean wait {unit}", lambda o: o.metrics.mean_wait_s, seconds),
        Column(f"p95 wait {unit}", lambda o: o.metrics.p95_wait_s, seconds),
        Column("bounded slowdown", lambda o: o.metrics.mean_bounded_slowdown, short),
        Column("mean queue", lambda o: o.metrics.mean_queue_length, short),
    ]
    if any(outcome.metrics.unstarted for outcome in comparison.outcomes):
        columns.insert(1, Column("never started", lambda o: o.metrics.unstarted, whole, None))
    for title, name, show in _LOSSES:
        if any(getattr(outcome.losses, name) for outcome in comparison.outcomes):
            columns.append(Column(title, _loss(name), show, None))
    for name in comparison.case.workload.resources[:2]:
        columns.append(Column(f"{name} used", _part("used", name), whole_percent, None))
        columns.append(Column(f"{name} stranded", _part("stranded", name), whole_percent, None))
    return columns


def marked(column: Column, group: Group) -> list[bool]:
    """For every run of the group whether it is the best in this column; none if all are alike or not to be judged.

    A run that left more jobs unstarted than another is never the best: its means leave them out.
    """
    values = [column.value(outcome) for outcome in group.outcomes]
    if not group.judged or column.lower_is_better is None or max(values) - min(values) <= _TIES * abs(max(values)):
        return [False] * len(values)
    unstarted = [outcome.metrics.unstarted for outcome in group.outcomes]
    sound = [count == min(unstarted) for count in unstarted]
    kept = [value for value, on in zip(values, sound, strict=True) if on]
    best = min(kept) if column.lower_is_better else max(kept)
    return [on and abs(value - best) <= _TIES * abs(best) for value, on in zip(values, sound, strict=True)]


def change_text(group: Group, outcome: Outcome) -> str:
    """The change of the mean wait against the baseline, in percent."""
    change = group.change(outcome)
    if change is None:
        return "" if group.baseline is None else "baseline"
    if change == float("inf"):
        return "+∞"
    sign = "+" if change > 0 else "−" if change < 0 else "±"
    return sign + percent(abs(change))


def _loss(name: str) -> Callable[[Outcome], float]:
    return lambda outcome: float(getattr(outcome.losses, name))


def _part(what: Literal["used", "stranded"], resource: str) -> Callable[[Outcome], float]:
    if what == "used":
        return lambda outcome: outcome.metrics.utilization[resource]
    return lambda outcome: outcome.stranded[resource]


def unit_for(seconds: Sequence[float]) -> tuple[str, float]:
    """The unit, with its seconds, in which the largest of some times reads best."""
    most = max(seconds, default=0.0)
    for unit, size in (("d", 86400.0), ("h", 3600.0), ("min", 60.0)):
        if most >= 3 * size:
            return unit, size
    return "s", 1.0


def short(value: float) -> str:
    """Three digits, thousands parted.

    Example:
        >>> short(0), short(0.01234), short(7.0), short(12.345), short(123456.0)
        ('0', '0.0123', '7.00', '12.3', '123,456')
    """
    if value == 0:
        return "0"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    for limit, digits in ((10, 1), (1, 2), (0.1, 3)):
        if abs(value) >= limit:
            return f"{value:.{digits}f}"
    return f"{value:.3g}"


def whole(value: float) -> str:
    """A count."""
    return f"{value:,.0f}"


def whole_percent(part: float) -> str:
    """A part in percent."""
    return f"{part * 100:.1f} %"


def _core_hours(core_s: float) -> str:
    return short(core_s / 3600.0)


_LOSSES = (
    ("killed", "killed", whole), ("stopped", "stopped", whole), ("refused", "refused", whole),
    ("lost core h", "lost_core_s", _core_hours),
)  # fmt: skip
"""Heading, name in `Losses`, how it is shown: columns that are there only where a run has any."""
