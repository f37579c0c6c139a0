"""Which nodes a pod may use: its selectors and required affinity, and the taints that it tolerates."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

_KEEPS_OUT = ("NoSchedule", "NoExecute")


def admits(labels: Mapping[str, str], name: str, taints: Iterable[Mapping[str, str]], spec: Mapping[str, Any]) -> bool:
    """Whether a node with these labels and taints may take the pod; wishes (`preferred...`) say nothing here.

    Raises:
        ValueError: an operator that we do not know.

    Example:
        >>> spec = {"nodeSelector": {"disk": "ssd"}, "tolerations": [{"key": "gpu", "operator": "Exists"}]}
        >>> admits({"disk": "ssd"}, "n1", [{"key": "gpu", "value": "yes", "effect": "NoSchedule"}], spec)
        True
    """
    wanted: Mapping[str, str] = spec.get("nodeSelector") or {}
    if any(labels.get(key) != value for key, value in wanted.items()):
        return False
    if any(taint.get("effect") in _KEEPS_OUT and not _tolerated(taint, spec) for taint in taints):
        return False
    required = required_of(spec, "nodeAffinity")
    if not required:
        return True
    terms = required.get("nodeSelectorTerms") or ()
    return any(_meets(labels, name, term) for term in terms)


def required_of(spec: Mapping[str, Any], kind: str) -> Any:
    """What must hold of `nodeAffinity`, `podAffinity` or `podAntiAffinity`; empty where nothing must."""
    part = (spec.get("affinity") or {}).get(kind) or {}
    return part.get("requiredDuringSchedulingIgnoredDuringExecution") or {}


def selects(selector: Mapping[str, Any] | None, labels: Mapping[str, str]) -> bool:
    """Whether a label selector chooses what bears these labels: none chooses nothing, an empty one everything.

    Raises:
        ValueError: an operator that we do not know.

    Example:
        >>> selects({"matchLabels": {"app": "web"}}, {"app": "web", "tier": "1"}), selects(None, {}), selects({}, {})
        (True, False, True)
    """
    if selector is None:
        return False
    same = all(labels.get(key) == value for key, value in (selector.get("matchLabels") or {}).items())
    return same and all(_holds(labels, each) for each in selector.get("matchExpressions") or ())


def check_selector(selector: Mapping[str, Any] | None) -> None:
    """See that a label selector can be asked about any labels.

    Raises:
        ValueError, TypeError, KeyError, AttributeError, LookupError: it cannot.
    """
    if selector is None:
        return
    dict(selector.get("matchLabels") or {})
    for each in selector.get("matchExpressions") or ():
        _holds({each["key"]: "0"}, each)


def _tolerated(taint: Mapping[str, str], spec: Mapping[str, Any]) -> bool:
    return any(_tolerates(each, taint) for each in spec.get("tolerations") or ())


def _tolerates(each: Mapping[str, str], taint: Mapping[str, str]) -> bool:
    if (each.get("effect") or taint.get("effect")) != taint.get("effect"):
        return False
    if each.get("operator") == "Exists":
        return (each.get("key") or taint["key"]) == taint["key"]
    if (each.get("operator") or "Equal") != "Equal":
        return False
    return each.get("key") == taint["key"] and (each.get("value") or "") == (taint.get("value") or "")


def _meets(labels: Mapping[str, str], name: str, term: Mapping[str, Any]) -> bool:
    """All of a term; an empty one matches no pod."""
    by_label, by_field = term.get("matchExpressions") or (), term.get("matchFields") or ()
    if not by_label and not by_field:
        return False
    fields = {"metadata.name": name}
    return all(_holds(labels, each) for each in by_label) and all(_holds(fields, each) for each in by_field)


def _holds(labels: Mapping[str, str], wanted: Mapping[str, Any]) -> bool:
    operator = str(wanted["operator"])
    value = labels.get(wanted["key"])
    values: Sequence[str] = wanted.get("values") or ()
    if operator == "In":
        return value in values
    if operator == "NotIn":
        return value not in values
    if operator == "Exists":
        return value is not None
    if operator == "DoesNotExist":
        return value is None
    if operator not in ("Gt", "Lt"):
        raise ValueError(f"the operator {operator} is not known")
    if value is None or not value.lstrip("-").isdigit():
        return False
    return int(value) > int(values[0]) if operator == "Gt" else int(value) < int(values[0])
