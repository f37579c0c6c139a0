"""The JSON Schemas of all documents: the files of this folder, and in rows of runs the metrics of the registry."""

import json
from importlib.resources import files
from typing import Any

from loadmaster.measure.metric import IN_ROWS, METRICS, Metric, Needs

_ALL: tuple[Needs, ...] = ("starts", "all starts", "run")
_KNOWN = {"run": _ALL, "recorded": _ALL[:2], "best_found": _ALL, "bound": ()}
"""What each kind of row knows, as metrics need it."""


def _read() -> dict[str, dict[str, Any]]:
    paths = sorted(path for path in files(__name__).iterdir() if path.name.endswith(".json"))  # type: ignore[type-var]
    schemas = {path.name.removesuffix(".json"): json.loads(path.read_text(encoding="utf-8")) for path in paths}
    for kind, known in _KNOWN.items():
        row = schemas["head"]["$defs"][kind]
        keys = {each.name: _key(each, known) for each in METRICS.values() if _may_have(each, known)}
        row["properties"] = keys | {"metrics": _metrics(known)} | row["properties"]
        row["required"] += [*IN_ROWS, "metrics"]
    return schemas


def _may_have(metric: Metric, known: tuple[Needs, ...]) -> bool:
    return metric.name in IN_ROWS or (metric.shown == "any" and metric.needs in known)


def _key(metric: Metric, known: tuple[Needs, ...]) -> dict[str, Any]:
    """Of a row that has the metric as a key."""
    kinds = _number(metric, known)
    unknown = "; null where a start is unknown" if metric.needs == "all starts" and "run" not in known else ""
    few = "; there where there are any" if metric.shown == "any" else ""
    return {"type": kinds if unknown else kinds[0], "description": f"{_summary(metric)}{unknown}{few}."}


def _metrics(known: tuple[Needs, ...]) -> dict[str, Any]:
    """Of the key `metrics` of a row."""
    each = METRICS.values()
    return {
        "type": "object",
        "description": "Every metric, also those of each resource and the user's own; null where it is not known.",
        "properties": {m.name: {"type": _number(m, known), "description": f"{_summary(m)}."} for m in each},
        "additionalProperties": {"type": ["number", "null"]},
    }


def _number(metric: Metric, known: tuple[Needs, ...]) -> list[str]:
    return [*["integer" if metric.unit == "jobs" else "number"] * (metric.needs in known), "null"]


def _summary(metric: Metric) -> str:
    return metric.summary[0].upper() + metric.summary[1:]


SCHEMAS = _read()
"""{verb: the schema of its document}; the common head of all is `head`."""
