"""Quantities, dates, and what a pod requests, by the names that Kubernetes has for resources."""

import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

_QUANTITY = re.compile(
    r"([+-]?[0-9]{1,30}(?:\.[0-9]{0,30})?|\.[0-9]{1,30})(?:([eE][+-]?[0-9]{1,2})|([KMGTPE]i|[numkMGTPE])?)"
)
_GPU = re.compile(r"(?:nvidia|amd|gpu\.intel)\.com/(?:gpu|i915|xe)(?:\.shared)?")
MOST_COUNTED = 2.0**63
"""An API server counts no further: it stores 9223372036854775807 for a request of 8Ei or more."""
_SUFFIX = {
    "": 1.0,
    "n": 1e-9,
    "u": 1e-6,
    "m": 1e-3,
    "k": 1e3,
    "M": 1e6,
    "G": 1e9,
    "T": 1e12,
    "P": 1e15,
    "E": 1e18,
} | {f"{letter}i": 1024.0**power for power, letter in enumerate("KMGTPE", start=1)}


def quantity(text: Any) -> float:
    """The number that Kubernetes writes as `250m`, `16Gi`, `1e3` or plain; never more than `MOST_COUNTED`.

    Raises:
        ValueError: it is none.

    Example:
        >>> quantity("250m"), quantity("2Ki"), quantity(3)
        (0.25, 2048.0, 3.0)
    """
    match = _QUANTITY.fullmatch(str(text))
    if match is None or isinstance(text, bool):
        raise ValueError(f"{text} is no quantity")
    return min(MOST_COUNTED, float(match[1] + (match[2] or "")) * _SUFFIX[match[3] or ""])


def date_s(text: str) -> float:
    """Seconds since 1970 of a date such as `2026-01-05T08:00:00Z`.

    Raises:
        ValueError: it is none.
    """
    return datetime.fromisoformat(text).timestamp()


def is_gpu(name: str) -> bool:
    """Whether a resource counts GPUs."""
    return _GPU.fullmatch(name) is not None


def gpus_of(asks: Mapping[str, float]) -> float:
    """How many GPUs a pod requests, of all makers.

    Example:
        >>> gpus_of({"cpu": 8.0, "nvidia.com/gpu": 2.0})
        2.0
    """
    return sum((amount for name, amount in asks.items() if is_gpu(name)), 0.0)


def amounts(listed: Mapping[str, Any]) -> dict[str, float]:
    """Quantities by name.

    Raises:
        ValueError: one is none, or below zero.
    """
    found = {name: quantity(text) for name, text in listed.items()}
    for name, amount in found.items():
        if amount < 0:
            raise ValueError(f"{name} {listed[name]} is below zero")
    return found


def requests_of(spec: Mapping[str, Any], status: Mapping[str, Any] | None = None) -> dict[str, float]:
    """What a pod requests: the sum of its containers, or more where an init container needs more; and its overhead.

    An init container that is restarted for ever (a sidecar) stays beside all that come after it. Requests of the pod
    as a whole take the place of the sum. A container that was resized in place counts with the larger of its
    request and of what its node has allocated to it, which `status` says; a sidecar and a pod as a whole likewise.

    Raises:
        ValueError: a quantity is none.

    Example:
        >>> cpu = lambda amount: {"resources": {"requests": {"cpu": amount}}}
        >>> requests_of({"containers": [cpu("1"), cpu("500m")], "initContainers": [cpu(2)]})
        {'cpu': 2.0}
        >>> requests_of({"containers": [cpu("1")], "initContainers": [cpu(2) | {"restartPolicy": "Always"}, cpu(3)]})
        {'cpu': 5.0}
    """
    told = status or {}
    listed = (*(told.get("containerStatuses") or ()), *(told.get("initContainerStatuses") or ()))
    given = {each.get("name"): each for each in listed}
    total = _sum(
        _effective_request(container, given.get(container.get("name"))) for container in spec.get("containers") or ()
    )
    stays: dict[str, float] = {}
    most: dict[str, float] = {}
    for container in spec.get("initContainers") or ():
        lasting = container.get("restartPolicy") == "Always"
        beside = _sum((stays, _effective_request(container, given.get(container.get("name")) if lasting else None)))
        most = {name: max(most.get(name, 0.0), beside.get(name, 0.0)) for name in most | beside}
        if lasting:
            stays = beside
    total = _sum((total, stays))
    total = {name: max(total.get(name, 0.0), most.get(name, 0.0)) for name in total | most}
    whole = _effective_request(spec, told) if spec.get("resources") else {}
    return _sum((total | whole, amounts(spec.get("overhead") or {})))


def _requests(item: Mapping[str, Any]) -> dict[str, float]:
    return amounts((item.get("resources") or {}).get("requests") or {})


def _effective_request(container: Mapping[str, Any], given: Mapping[str, Any] | None) -> dict[str, float]:
    """The largest of what a container requests and of what its node says that it has."""
    asked = _requests(container)
    for held in () if given is None else (amounts(given.get("allocatedResources") or {}), _requests(given)):
        asked |= {name: max(amount, asked.get(name, 0.0)) for name, amount in held.items()}
    return asked


def _sum(parts: Iterable[Mapping[str, float]]) -> dict[str, float]:
    total: dict[str, float] = {}
    for part in parts:
        for name, amount in part.items():
            total[name] = total.get(name, 0.0) + amount
    return total
