"""Runs beside the bound and the best schedule found, and what may be claimed of them (rule D13)."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from loadmaster.measure.metric import metrics_row
from loadmaster.model.units import show_seconds
from loadmaster.report.columns import short
from loadmaster.report.comparison import Comparison, Group, load_words, percent
from loadmaster.report.machines_claims import rule_document
from loadmaster.runs import Outcome, Setting

if TYPE_CHECKING:  # the search compiles kernels
    from loadmaster.search.possible import Possible

BOUND = "bound"
BEST_FOUND = "best found"
"""The kinds of the two rows, and their names in a table."""
NEAR = 1.1
"""Bound and best found this close: nothing can do much more."""


def possible_at(comparison: Comparison, load: float, hosts: str) -> "Possible | None":
    """What is known of the best schedule at a load on a set of machines; None if it was not computed."""
    return next((each for each in comparison.possible if (each.load, each.hosts) == (load, hosts)), None)


def possible_lines(comparison: Comparison, group: Group) -> list[tuple[str, Mapping[str, float] | None, float]]:
    """Name, metrics and mean wait of the rows above those of `group`, the first of its load on its machines."""
    each = possible_at(comparison, group.load, group.hosts)
    first = next(other for other in comparison.groups if other.load == group.load)
    if each is None or group.discipline != first.discipline:
        return []
    lines = [] if each.found is None else [(BEST_FOUND, each.found, each.found["mean_wait_s"])]
    return [(BOUND, None, each.bound_s), *lines]


def times_best_found(comparison: Comparison, outcome: Outcome) -> float | None:
    """Mean wait of a run over that of the best schedule found.

    None where there is none, if no job waits in it, or where the run did not run every job once, to its end.
    """
    each = possible_at(comparison, outcome.load, outcome.setting.hosts)
    best = None if each is None else each.found
    if each is None or best is None or best["mean_wait_s"] <= 0.0 or not outcome.ran_once(each.jobs):
        return None
    return outcome.metrics.mean_wait_s / best["mean_wait_s"]


def times_text(comparison: Comparison, outcome: Outcome) -> str:
    """The same for a table."""
    times = times_best_found(comparison, outcome)
    return "-" if times is None else short(times)


def heading(comparison: Comparison) -> str:
    """Of the column with it; empty where there is nothing to show."""
    return "× best found" if any(each.found is not None for each in comparison.possible) else ""


def beside_possible(comparison: Comparison, outcome: Outcome) -> dict[str, float]:
    """What the row of a run says of the best possible; empty where nothing may be said."""
    times = times_best_found(comparison, outcome)
    return {} if times is None else {"times_best_found": times}


def possible_rows(comparison: Comparison) -> list[dict[str, Any]]:
    """Rows of the kinds `bound` and `best found` for every load, like those of runs."""
    rows = []
    for each in comparison.possible:
        rows.append(_row(comparison, each, BOUND, None) | {"mean_wait_s": each.bound_s})
        if each.found is not None:
            rows.append(_row(comparison, each, BEST_FOUND, each.found))
    return rows


def possible_document(comparison: Comparison) -> list[dict[str, Any]]:
    """What a document says beside the rows, for every load."""
    return [
        {
            "load": each.load,
            **_named(each),
            "bound_s": each.bound_s,
            "best_found_s": None if each.found is None else each.found["mean_wait_s"],
            "best_found_by": None if each.run is None else rule_document(each.run),
            "near": is_near(each),
            "settled": each.settled,
            "steps": each.steps,
            "because": each.because or None,
            "sentence": _sentence(comparison, each),
        }
        for each in comparison.possible
    ]


def possible_sentences(comparison: Comparison) -> list[str]:
    """Bound and best found of every load in words, with the lowest run beside them."""
    return [_sentence(comparison, each) for each in comparison.possible]


def runs_at(comparison: Comparison, each: "Possible") -> list[Outcome]:
    """The runs that it is told of."""
    return [o for o in comparison.outcomes if (o.load, o.setting.hosts) == (each.load, each.hosts)]


def where_words(each: "Possible") -> str:
    """The load that it is told of, and the machines where there are several sets."""
    return load_words(each.load) + (f" on {each.hosts}" if each.hosts else "")


def is_near(each: "Possible") -> bool:
    """The best found is so near the bound that hardly anything can be gained on it."""
    return each.found is not None and each.found["mean_wait_s"] <= NEAR * each.bound_s


def _sentence(comparison: Comparison, each: "Possible") -> str:
    at = where_words(each)
    least = f"{at[0].upper()}{at[1:]}: no schedule has a mean wait below {show_seconds(each.bound_s)}"
    if each.found is None:
        return f"{least}; no best schedule was searched, since the search does not obey {each.because}."
    longest = show_seconds(each.found["longest_wait_s"])
    given = "with all arrivals and runtimes known and no limit on single waits"
    has = show_seconds(each.found["mean_wait_s"])
    if each.run is not None:
        name = _name(comparison, each.run)
        least += (
            f"; the best found is what {name} made here, {has} (longest {longest}): the search, {given}, found none"
        )
        return f"{least} as low in that time. {_distance(each)}"
    return (
        f"{least}; the best found, {given} (longest {longest}), has {has}. {_lowest(comparison, each)}{_distance(each)}"
    )


def _lowest(comparison: Comparison, each: "Possible") -> str:
    runs = [(times_best_found(comparison, o), o) for o in runs_at(comparison, each)]
    comparable = [(times, outcome) for times, outcome in runs if times is not None]
    if not comparable:
        return ""
    times, outcome = min(comparable, key=lambda pair: pair[0])
    return f"The lowest here, {_name(comparison, outcome.setting)}, waits {times:.3g} times that. "


def _name(comparison: Comparison, setting: Setting) -> str:
    return setting.policy + (f" under {setting.discipline}" if len(comparison.disciplines) > 1 else "")


def _distance(each: "Possible") -> str:
    assert each.found is not None
    if each.found["mean_wait_s"] <= 0.0:
        return "So no job need wait at all."
    if is_near(each):
        above = each.found["mean_wait_s"] / each.bound_s - 1.0
        return f"The best found is only {percent(above)} above the bound: no schedule is much better."
    if each.bound_s <= 0.0:
        return "The bound is 0: it is not known whether a schedule better than the best found exists."
    apart = f"a factor {each.found['mean_wait_s'] / each.bound_s:.3g}"
    return f"Bound and best found are {apart} apart: it is not known whether a schedule between them exists."


def _row(comparison: Comparison, each: "Possible", kind: str, metrics: Mapping[str, float] | None) -> dict[str, Any]:
    row: dict[str, Any] = {
        "kind": kind,
        "policy": None,
        "discipline": None,
        "load": each.load,
        **_named(each),
        "jobs": each.jobs,
        "rejected": comparison.case.rejected.total,
        "unstarted": None if metrics is None else int(metrics["unstarted"]),
    }
    return row | metrics_row(metrics or {}) | {"cycles": None, "simulated_jobs_per_s": None}


def _named(each: "Possible") -> dict[str, str]:
    return {"hosts": each.hosts} if each.hosts else {}
