"""The log's own record beside simulations: what is claimed, and what is not (rules H5 to H7)."""

import math
from dataclasses import dataclass
from typing import Any

from loadmaster.measure import queueing_check
from loadmaster.measure.metric import metrics_row
from loadmaster.model.units import show_seconds
from loadmaster.report.comparison import Comparison, percent
from loadmaster.report.room_claims import waited_sentence
from loadmaster.runs import Outcome
from loadmaster.runs.setting import SITE
from loadmaster.system.counted import counted

MOST_ERROR = 0.25
"""A model whose mean wait is further from the recorded one does not reproduce the site (rule H5)."""
RECORDED = "recorded"
"""The kind of the row of what really happened, and its name in a table."""


@dataclass(frozen=True)
class ErrorAgainstRecord:
    """A run beside what really happened; all are fractions of the recorded mean wait.

    Attributes:
        change: mean wait of the run over the recorded one, less 1.
        error: the same of the model of the site's own rule: how far a simulation is from the truth.
    """

    change: float
    error: float

    @property
    def tells(self) -> bool:
        """The change is larger than the error (rule H6)."""
        return abs(self.change) > abs(self.error)

    @property
    def gain_claimed(self) -> bool:
        """It is a gain, and tells."""
        return self.change < 0 and self.tells


def why_unexplained(comparison: Comparison) -> str:
    """Why queueing does not explain the recorded waits, or they are not known; empty where it may (rules H2 to H4)."""
    if comparison.recorded is not None and comparison.case.without_verdict:
        return "too many jobs are left out"
    return queueing_check.why_unexplained(comparison.recorded)


def model_error(comparison: Comparison) -> float | None:
    """Mean wait of the model of the site's own rule over the recorded one, less 1 (rule H5); None without either."""
    record, site = comparison.recorded, _site(comparison)
    if record is None or site is None or not record.mean_wait_s > 0:
        return None
    return site.metrics.mean_wait_s / record.mean_wait_s - 1.0


def against(comparison: Comparison, outcome: Outcome) -> ErrorAgainstRecord | None:
    """`outcome` beside what really happened; None where nothing may be said of that (rule H7)."""
    error = model_error(comparison)
    if error is None or why_unexplained(comparison) or not _is_as_logged(outcome):
        return None
    assert comparison.recorded is not None
    return ErrorAgainstRecord(outcome.metrics.mean_wait_s / comparison.recorded.mean_wait_s - 1.0, error)


def against_text(comparison: Comparison, outcome: Outcome) -> str:
    """The cell of a run in the column of `heading`."""
    beside = against(comparison, outcome)
    if beside is None:
        return "-"
    if outcome is _site(comparison):
        return "error"
    if not beside.tells:
        return "within error"
    return ("+" if beside.change > 0 else "−") + percent(abs(beside.change))


def heading(comparison: Comparison) -> str:
    """Of the column that says how far runs are from what really happened; empty where none may be shown."""
    error = model_error(comparison)
    if error is None or why_unexplained(comparison):
        return ""
    return f"on recorded (error {percent(abs(error))})"


def record_head(comparison: Comparison) -> str:
    """What really happened and whether the model of the site reproduces it, before all else; empty where unknown."""
    record, site = comparison.recorded, _site(comparison)
    if record is None:
        return ""
    start, error = waited_sentence(record, comparison.case.rejected), model_error(comparison)
    if error is None or site is None:
        return f"{start}; whether a model of the site reproduces that is not known. "
    modelled = show_seconds(site.metrics.mean_wait_s)
    if abs(error) > MOST_ERROR:
        return f"{start}, and this model does not reproduce the site ({modelled}): the rest is about the model alone. "
    return f"{start}; the model of the site's own rule says {modelled}, {percent(abs(error))} off. "


def record_sentence(comparison: Comparison) -> str:
    """Whether queueing explains what really happened, and what is claimed on it; empty where nothing is known."""
    record = comparison.recorded
    if record is None:
        return ""
    if because := why_unexplained(comparison):
        return f"No gain on the recorded wait is claimed: {because}."
    room = f"{percent(record.with_room)} of the recorded waiting passed while there was room"
    error = model_error(comparison)
    if error is None:
        return f"{room}; no gain on it is claimed: {_why_no_error(comparison)}."
    site = _site(comparison)
    assert site is not None
    return f"{room}; the model has an error of {percent(abs(error))}{_on_their_hosts(site)}. {_claim(comparison)}."


def _why_no_error(comparison: Comparison) -> str:
    """Why the model's error is not known (rule H5)."""
    own = [o for o in _own_runs(comparison) if o.setting.beta == 1.0]
    if own:
        number = own[0].metrics.unstarted
        jobs = counted(number, "job")
        return f"the model of the site's own rule never starts {jobs} that really ran"
    return "how far a model of the site's own rule is from it is not known (--site)"


def recorded_row(comparison: Comparison) -> dict[str, Any]:
    """The row of `compare --json`, like those of runs; None where it cannot be known."""
    record = comparison.recorded
    assert record is not None
    row: dict[str, Any] = {
        "kind": RECORDED,
        "policy": None,
        "discipline": None,
        "load": comparison.case.load,
        "jobs": record.jobs,
        "rejected": comparison.case.rejected.total,
        "unstarted": None,
    }
    return row | metrics_row(record.values) | {"cycles": None, "simulated_jobs_per_s": None}


def recorded_document(comparison: Comparison) -> dict[str, Any] | None:
    """What a document says beside the row: the verdict of rules H3 and H4, and the model's error."""
    record = comparison.recorded
    if record is None:
        return None
    because = why_unexplained(comparison)
    return {
        "explained_by_queueing": not because,
        "because": because or None,
        "unknown_starts": record.unknown,
        "peak_use": record.peak,
        "time_over_capacity": record.over,
        "wait_with_room": _finite_or_none(record.with_room),
        "model_error": model_error(comparison),
        "on_hosts": _on_hosts_document(comparison),
        "sentence": record_sentence(comparison),
    }


def _on_hosts_document(comparison: Comparison) -> dict[str, Any] | None:
    on_hosts = comparison.on_hosts
    if on_hosts is None:
        return None
    return {"unknown": on_hosts.unknown, "time_overfull": on_hosts.overfull, "stranded": on_hosts.stranded or None}


def beside_row(comparison: Comparison, outcome: Outcome) -> dict[str, Any]:
    """What the row of a run says of what really happened; empty where nothing may be said."""
    beside = against(comparison, outcome)
    if beside is None or outcome is _site(comparison):
        return {}
    return {
        "change_on_recorded": beside.change,
        "model_error": beside.error,
        "gain_claimed": beside.gain_claimed,
    }


def _on_their_hosts(site: Outcome) -> str:
    return "" if site.same_hosts is None else f", {percent(site.same_hosts)} of the jobs on the hosts they really had"


def _site(comparison: Comparison) -> Outcome | None:
    """The run of the site's own rule, with its own placement."""
    return next((outcome for outcome in _own_runs(comparison) if _is_as_logged(outcome)), None)


def _own_runs(comparison: Comparison) -> list[Outcome]:
    """On the machines of the log, which are the first set."""
    hosts = comparison.outcomes[0].setting.hosts
    rows = [o for o in comparison.outcomes if o.setting.kind == SITE and o.setting.hosts == hosts]
    return [o for o in rows if o.setting.policy == comparison.site_policy]


def _is_as_logged(outcome: Outcome) -> bool:
    """The log's own arrivals, and every job started: its mean is one of the same jobs."""
    return outcome.setting.beta == 1.0 and not outcome.metrics.unstarted


def _claim(comparison: Comparison) -> str:
    candidates = [o for o in comparison.outcomes if o.setting.kind != SITE or comparison.machines_of(o).changed]
    runs = [outcome for outcome in candidates if _is_as_logged(outcome)]
    if not runs:
        return "No candidate started all jobs"
    best = min(runs, key=lambda outcome: outcome.metrics.mean_wait_s)
    beside = against(comparison, best)
    assert beside is not None
    name = comparison.rule_name(best.setting)
    if beside.gain_claimed:
        wait = show_seconds(best.metrics.mean_wait_s)
        return f"{name} waits {wait}, {percent(-beside.change)} less than recorded: more than that error"
    if beside.change < 0:
        return "No candidate waits less than recorded by more than that error, so no gain is claimed"
    return "No candidate waits less than recorded"


def _finite_or_none(value: float) -> float | None:
    return value if math.isfinite(value) else None
