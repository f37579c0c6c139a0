"""A dashboard for Grafana and alerting rules for Prometheus, on the figures of `loadmaster.live.queue.metrics`."""

import json
from typing import Any, NamedTuple

import yaml

from loadmaster.live.queue.alerts import FREE_PART, NOTHING_STARTS_S


class Panel(NamedTuple):
    """A chart of the dashboard.

    Attributes:
        title: above it.
        unit: of its axis, as Grafana calls it.
        series: expression by legend.
    """

    title: str
    unit: str
    series: dict[str, str]


class AlertRule(NamedTuple):
    """An alert.

    Attributes:
        name: of the alert.
        expression: what has to hold.
        for_: how long.
        severity: `critical` or `warning`.
        summary: what happened.
        action: what to do.
    """

    name: str
    expression: str
    for_: str
    severity: str
    summary: str
    action: str


PANELS = (
    Panel("Jobs", "short", {
        "may start": "loadmaster_queue_jobs", "run": "loadmaster_running_jobs",
        "asked to start": "loadmaster_claimed_jobs", "left out": "loadmaster_left_out_jobs",
    }),
    Panel("Starts an hour", "short", {"starts": "3600 * rate(loadmaster_starts_total[$__rate_interval])"}),
    Panel("Cores of hosts that are up", "short", {
        "in use": "loadmaster_capacity_cores - loadmaster_free_cores", "all": "loadmaster_capacity_cores",
    }),
    Panel("Memory of hosts that are up", "bytes", {
        "in use": "loadmaster_capacity_memory_bytes - loadmaster_free_memory_bytes",
        "all": "loadmaster_capacity_memory_bytes",
    }),
    Panel("A cycle takes", "s", {
        "last cycle": "loadmaster_cycle_duration_seconds", "interval": "loadmaster_interval_seconds",
    }),
    Panel("Age of the last observation", "s", {
        "age": "time() - loadmaster_last_observation_timestamp_seconds",
    }),
    Panel("Cycles without the rule's decision", "short", {
        "missed": "increase(loadmaster_missed_cycles_total[$__rate_interval])",
        "skipped": "increase(loadmaster_skipped_cycles_total[$__rate_interval])",
        "first-fit decided": "increase(loadmaster_fallback_cycles_total[$__rate_interval])",
    }),
    Panel("Refused actions", "short", {"{{kind}}": "increase(loadmaster_refusals_total[$__rate_interval])"}),
    Panel("The engine", "short", {
        "answers": "loadmaster_up", "failed calls": "increase(loadmaster_failed_calls_total[$__rate_interval])",
    }),
    Panel("Jobs lost by the engine, or started by others", "short", {
        "lost": "increase(loadmaster_lost_jobs_total[$__rate_interval])",
        "started by others": "increase(loadmaster_foreign_total[$__rate_interval])",
    }),
    Panel("Mean wait so far, of a shadow", "s", {
        "the site": "loadmaster_shadow_site_mean_wait_seconds", "this rule": "loadmaster_shadow_own_mean_wait_seconds",
        "model of the site": "loadmaster_shadow_model_mean_wait_seconds",
    }),
)  # fmt: skip
"""The charts of the dashboard, in two columns."""
_IDLE = f"{NOTHING_STARTS_S / 60:.0f}m"
ALERT_RULES = (
    AlertRule(
        "LoadmasterGone", "absent(loadmaster_up)", "5m", "critical", "No loadmaster answers.",
        "It has ended, another one has its lease, or its machine is down: see the log of its service.",
    ),
    AlertRule(
        "LoadmasterEngineDown", "loadmaster_up == 0", "5m", "critical", "The engine does not answer.",
        "See whether the scheduler that loadmaster drives runs; loadmaster decides nothing meanwhile.",
    ),
    AlertRule(
        "LoadmasterCycleOverdue",
        "time() - loadmaster_last_observation_timestamp_seconds > 60 + 3 * loadmaster_interval_seconds",
        "2m", "critical", "The cluster was not observed for three cycles and a minute.",
        "See the log: the engine is down, or a cycle does not end.",
    ),
    AlertRule(
        "LoadmasterNothingStarts",
        f"increase(loadmaster_starts_total[{_IDLE}]) == 0 and min_over_time(loadmaster_queue_jobs[{_IDLE}]) > 0 "
        f"and min_over_time(loadmaster_free_cores[{_IDLE}]) > {FREE_PART} * loadmaster_capacity_cores",
        "5m", "warning", "No job started for 30 minutes, while jobs wait and a tenth of the cores is free.",
        "See why: loadmaster explain DIR JOB.",
    ),
    AlertRule(
        "LoadmasterRuleFails",
        "increase(loadmaster_skipped_cycles_total[15m]) + increase(loadmaster_fallback_cycles_total[15m]) > 0",
        "0m", "warning", "The rule failed: cycles had no decision, or first-fit decided.",
        "See the page: loadmaster report DIR.",
    ),
    AlertRule(
        "LoadmasterCyclesMissed", "increase(loadmaster_missed_cycles_total[15m]) > 5", "0m", "warning",
        "Cycles take longer than their interval.", "Take a longer --interval, or a rule that decides faster.",
    ),
    AlertRule(
        "LoadmasterRefused",
        'sum without (kind) (increase(loadmaster_refusals_total{kind=~"denied|unfit|unknown"}[15m])) > 0',
        "0m", "warning", "The engine refused actions.", "See its words on the page: loadmaster report DIR.",
    ),
    AlertRule(
        "LoadmasterJobsLost", "increase(loadmaster_lost_jobs_total[1h]) > 0", "0m", "critical",
        "The engine lost jobs as it was restarted.", "Their users have to submit them again.",
    ),
)  # fmt: skip
"""The alerts."""
_WIDTH, _HEIGHT = 12, 8


def dashboard_text() -> str:
    """The dashboard as Grafana imports it, as JSON."""
    source = {"type": "prometheus", "uid": "${source}"}
    panels = [
        {
            "id": number + 1,
            "type": "timeseries",
            "title": panel.title,
            "datasource": source,
            "gridPos": {"x": _WIDTH * (number % 2), "y": _HEIGHT * (number // 2), "w": _WIDTH, "h": _HEIGHT},
            "fieldConfig": {"defaults": {"unit": panel.unit, "min": 0}, "overrides": []},
            "targets": [
                {"refId": chr(ord("A") + row), "expr": expression, "legendFormat": legend, "datasource": source}
                for row, (legend, expression) in enumerate(panel.series.items())
            ],
        }
        for number, panel in enumerate(PANELS)
    ]
    variable = {"name": "source", "label": "Prometheus", "type": "datasource", "query": "prometheus"}
    whole: dict[str, Any] = {
        "uid": "loadmaster",
        "title": "loadmaster live",
        "tags": ["loadmaster"],
        "schemaVersion": 39,
        "refresh": "1m",
        "time": {"from": "now-24h", "to": "now"},
        "templating": {"list": [variable]},
        "panels": panels,
    }
    return json.dumps(whole, indent=2) + "\n"


def alerts_text() -> str:
    """The alerts as a file of rules of Prometheus, as YAML."""
    rules = [
        {
            "alert": rule.name,
            "expr": rule.expression,
            "for": rule.for_,
            "labels": {"severity": rule.severity},
            "annotations": {"summary": rule.summary, "description": rule.action},
        }
        for rule in ALERT_RULES
    ]
    return yaml.safe_dump({"groups": [{"name": "loadmaster", "rules": rules}]}, sort_keys=False, width=120)
