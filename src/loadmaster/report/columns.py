"""The columns of a comparison's table: one list, shown in the terminal and on the page."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from loadmaster.measure.metric import METRICS, shown_as, utilization_of
from loadmaster.measure.recorded_hosts import OnHosts
from loadmaster.model.units import show_seconds
from loadmaster.report.comparison import Comparison, Group, percent
from loadmaster.report.confidence import difference_text
from loadmaster.report.machines_claims import money
from loadmaster.report.wait_change import change_of
from loadmaster.runs import Outcome

BEST = "★"
_STRANDED = 2
"""Of so many resources a table shows what was stranded."""
_WITH_UNIT = {"kwh": "kWh", "money": "", "kg": "kg"}
_TIES = 1e-9


@dataclass(frozen=True)
class Column:
    """One measure of a run.

    Attributes:
        title: the heading, with the unit.
        value: reads it from a run.
        show: writes it.
        lower_is_better: mark the lowest; None to mark nothing.
        recorded: reads it from what really happened; None where a log never tells.
        on_hosts: the same, of what only a log that names its hosts tells.
        decides: samples judge it, and mark those that may be the best.
    """

    title: str
    value: Callable[[Outcome], float]
    show: Callable[[float], str]
    lower_is_better: bool | None = True
    recorded: Callable[[Mapping[str, float]], float] | None = None
    on_hosts: Callable[[OnHosts], float] | None = None
    decides: bool = False


def columns_for(comparison: Comparison) -> list[Column]:
    """The columns that suit the data: the metrics that were chosen, or the usual ones and every resource's use."""
    usual = not comparison.metrics
    unit = unit_for([outcome.metrics.mean_wait_s for outcome in comparison.outcomes]) if usual else None
    names = dict.fromkeys(("mean_wait_s", *(_unasked(comparison) if usual else comparison.metrics)))
    columns = [_column_of(comparison, name, unit) for name in names]
    columns[0] = replace(columns[0], decides=True)
    if not usual:
        return columns
    columns[1:1] = _costs(comparison)
    for at, name in enumerate(comparison.case.workload.resources):
        columns.append(_column_of(comparison, utilization_of(name).name, unit))
        if at < _STRANDED:
            columns.append(
                Column(f"{name} stranded", _stranded(name), whole_percent, None, on_hosts=_stranded_column(name))
            )
    return columns


def _unasked(comparison: Comparison) -> Iterator[str]:
    """The usual metrics, and those that some run has any of."""
    for name, metric in METRICS.items():
        values = [outcome.values.get(name, 0.0) for outcome in comparison.outcomes]
        if metric.shown == "usual" or (metric.shown == "any" and any(v and math.isfinite(v) for v in values)):
            yield name


def metric_text(name: str, value: float) -> str:
    """One value of a metric, with its unit; "-" where it is not known.

    Example:
        >>> metric_text("mean_wait_s", 90.0), metric_text("lost_core_s", 3600.0), metric_text("waiting_part", 0.25)
        ('1.5 min', '1.00 core hours', '25.0 %')
    """
    unit = shown_as(name).unit
    if not math.isfinite(value):
        return "-"
    if unit == "s":
        return show_seconds(value)
    if unit == "core_s":
        return f"{_core_hours(value)} core hours"
    return whole_percent(value) if unit == "part" else whole(value) if value == int(value) else short(value)


def _column_of(comparison: Comparison, name: str, unit: tuple[str, float] | None) -> Column:
    """A metric of the registry, or the user's own, as a column: its unit says how it is shown.

    Args:
        comparison: the runs.
        name: the metric's.
        unit: of times, with its seconds; None chooses one that suits this metric.
    """
    metric = shown_as(name)
    values = [outcome.values.get(name, math.nan) for outcome in comparison.outcomes]
    title = metric.heading
    show: Callable[[float], str] = short
    if metric.unit == "s":
        in_unit, size = unit or unit_for([abs(value) for value in values if math.isfinite(value)])
        title, show = f"{title} {in_unit}", lambda value: short(value / size)
    elif metric.unit == "core_s":
        title, show = f"{title} core hours", _core_hours
    elif metric.unit in _WITH_UNIT:
        title = f"{title} {comparison.currency if metric.unit == 'money' else _WITH_UNIT[metric.unit]}".rstrip()
    elif metric.unit == "part":
        show = whole_percent
    elif metric.unit == "jobs" or (metric.unit == "count" and all(v == int(v) for v in values if math.isfinite(v))):
        show = whole
    return Column(
        title,
        lambda outcome: outcome.values.get(name, math.nan),
        lambda value: show(value) if math.isfinite(value) else "-",
        {"lower": True, "higher": False, "": None}[metric.better],
        lambda values: values.get(name, math.nan),
    )


def _costs(comparison: Comparison) -> list[Column]:
    """What the machines cost an hour, and until the last job of a run ended; nothing where no price is known.

    Of a site and its changes this is the cost of the added hosts.
    """
    if all(one.cost_per_hour is None for one in comparison.machines):
        return []
    unit = ("added " if comparison.of_changes else "") + (comparison.currency or "cost")

    def per_hour(outcome: Outcome) -> float:
        cost = comparison.machines_of(outcome).cost_per_hour
        return math.nan if cost is None else cost

    def in_all(outcome: Outcome) -> float:
        cost = comparison.machines_of(outcome).cost(outcome)
        return math.nan if cost is None else cost

    return [Column(f"{unit} an hour", per_hour, money, None), Column(f"{unit} in all", in_all, money, None)]


def marked(column: Column, group: Group) -> list[bool]:
    """For every run of the group whether it is the best in this column; none if all are alike or not to be judged.

    A run that left more jobs unstarted than another is never the best: its means leave them out.
    """
    if column.decides and group.judgement is not None and group.judged:
        return [outcome.setting in group.judgement.best for outcome in group.outcomes]
    values = [column.value(outcome) for outcome in group.outcomes]
    if not group.judged or column.lower_is_better is None or max(values) - min(values) <= _TIES * abs(max(values)):
        return [False] * len(values)
    unstarted = [outcome.metrics.unstarted for outcome in group.outcomes]
    sound = [count == min(unstarted) for count in unstarted]
    comparable = [value for value, on in zip(values, sound, strict=True) if on]
    best = min(comparable) if column.lower_is_better else max(comparable)
    return [on and abs(value - best) <= _TIES * abs(best) for value, on in zip(values, sound, strict=True)]


def change_text(comparison: Comparison, outcome: Outcome) -> str:
    """The change of the mean wait against the baseline of its load; with samples their difference and its interval."""
    change = change_of(comparison, outcome)
    if change.of_baseline:
        return "baseline"
    if change.difference is not None:
        return difference_text(change.difference)
    if change.part is None:
        return "-"
    if change.part == math.inf:
        return "+∞"
    sign = "+" if change.part > 0 else "−" if change.part < 0 else "±"
    return sign + percent(abs(change.part))


def _stranded(resource: str) -> Callable[[Outcome], float]:
    return lambda outcome: outcome.stranded[resource]


def _stranded_column(resource: str) -> Callable[[OnHosts], float]:
    return lambda on_hosts: on_hosts.stranded.get(resource, math.nan)


def recorded_cell(column: Column, metrics: Mapping[str, float], on_hosts: OnHosts | None = None) -> str:
    """What really happened, or might, in this column; "-" where it is not known."""
    value = math.nan if column.recorded is None else column.recorded(metrics)
    if on_hosts is not None and column.on_hosts is not None:
        value = column.on_hosts(on_hosts)
    return column.show(value) if math.isfinite(value) else "-"


def possible_cells(columns: Sequence[Column], metrics: Mapping[str, float] | None, mean_wait_s: float) -> list[str]:
    """The row of the best schedule found; of the bound, where there are no metrics, the mean wait alone."""
    if metrics is not None:
        return [recorded_cell(column, metrics) for column in columns]
    return [columns[0].show(mean_wait_s), *["-"] * (len(columns) - 1)]


def unit_for(seconds: Sequence[float]) -> tuple[str, float]:
    """The unit, with its seconds, in which the largest of some times reads best."""
    most = max(seconds, default=0.0)
    for unit, size in (("d", 86400.0), ("h", 3600.0), ("min", 60.0)):
        if most >= 3 * size:
            return unit, size
    return "s", 1.0


def short(value: float) -> str:
    """Three digits, thousands parted; "-" for what is not finite.

    Example:
        >>> short(0), short(0.01234), short(7.0), short(12.345), short(123456.0), short(math.inf)
        ('0', '0.0123', '7.00', '12.3', '123,456', '-')
    """
    if not math.isfinite(value):
        return "-"
    if value == 0:
        return "0"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    for limit, digits in ((10, 1), (1, 2), (0.1, 3)):
        if abs(value) >= limit:
            return f"{value:.{digits}f}"
    return f"{value:.3g}"


def whole(value: float) -> str:
    """A count as a table shows it, thousands parted by commas."""
    return f"{value:,.0f}"


def whole_percent(part: float) -> str:
    """A part of 1 as a table shows it, in percent with one decimal."""
    return f"{part * 100:.1f} %"


def _core_hours(core_s: float) -> str:
    return short(core_s / 3600.0)
