"""Which pods a term of another pod chooses: its selector, its namespaces, the labels that it names."""

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from loadmaster.packing.constrained.groups import TaskGroup
from loadmaster.packing.kubernetes_affinity import selects
from loadmaster.packing.kubernetes_objects import ListedPod


class PodSelection:
    """Which pods the selector of another pod chooses, each selector asked once.

    Args:
        namespaces: Namespace objects, for their labels; () where they are not listed.
        pods: all of them.
    """

    def __init__(self, namespaces: Iterable[Mapping[str, Any]], pods: Sequence[ListedPod]) -> None:
        self._pods = pods
        self._spaces = {
            str(each["metadata"].get("name")): dict(each["metadata"].get("labels") or {}) for each in namespaces
        }
        self._groups: dict[str, TaskGroup] = {}

    @cached_property
    def _alike(self) -> list[tuple[str, Mapping[str, str], list[int]]]:
        """Namespace, labels, and the pods that have both."""
        alike: dict[tuple[str, str], tuple[str, Mapping[str, str], list[int]]] = {}
        for number, pod in enumerate(self._pods):
            key = pod.space, json.dumps(pod.labels, sort_keys=True)
            alike.setdefault(key, (pod.space, pod.labels, []))[2].append(number)
        return list(alike.values())

    def of(self, term: Mapping[str, Any], pod: ListedPod) -> TaskGroup:
        """The pods that a term of `pod` chooses.

        Raises:
            ValueError: no namespaces are listed, and the term selects some by their labels.
        """
        selector = self._with_own_labels(term, pod)
        spaces, by_label = term.get("namespaces"), term.get("namespaceSelector")
        if by_label and not self._spaces:
            raise ValueError("namespaces are not listed")
        chosen = set(spaces or ())
        if by_label is not None:
            chosen |= {name for name, labels in self._spaces.items() if selects(by_label, labels)}
        every = by_label == {}
        chosen = {pod.space} if not spaces and by_label is None else chosen
        key = json.dumps([selector, None if every else sorted(chosen)], sort_keys=True)
        if key not in self._groups:
            members = [
                number
                for space, labels, alike in self._alike
                if (every or space in chosen) and selects(selector, labels)
                for number in alike
            ]
            where = "any namespace" if every else f"namespace {', '.join(sorted(chosen))}"
            name = f"pods with {selector_in_words(selector)} ({where})"
            self._groups[key] = TaskGroup(name, np.array(members, np.int32))
        return self._groups[key]

    @staticmethod
    def _with_own_labels(term: Mapping[str, Any], pod: ListedPod) -> Mapping[str, Any] | None:
        """The selector, and the values of the pod's own labels that the term names."""
        selector: Mapping[str, Any] | None = term.get("labelSelector")
        more = [
            {"key": key, "operator": operator, "values": [pod.labels[key]]}
            for name, operator in (("matchLabelKeys", "In"), ("mismatchLabelKeys", "NotIn"))
            for key in term.get(name) or ()
            if key in pod.labels
        ]
        if selector is None or not more:
            return selector
        return {**selector, "matchExpressions": [*(selector.get("matchExpressions") or ()), *more]}


def selector_in_words(said: Any) -> str:
    """A selector in a few words."""
    if isinstance(said, dict) and "nodeSelectorTerms" in said:
        return " or ".join(selector_in_words(term) for term in said["nodeSelectorTerms"] or ())
    if isinstance(said, dict) and {"matchLabels", "matchExpressions", "matchFields"} & said.keys():
        labels = [f"{key}={value}" for key, value in (said.get("matchLabels") or {}).items()]
        parts = [*(said.get("matchExpressions") or ()), *(said.get("matchFields") or ())]
        return ",".join([*labels, *(_expression(each) for each in parts)])
    if isinstance(said, dict):
        return ",".join(f"{key}={value}" for key, value in said.items()) or "any label"
    return str(said)


def _expression(each: Mapping[str, Any]) -> str:
    values = f" ({', '.join(map(str, each['values']))})" if each.get("values") else ""
    return f"{each.get('key')} {each.get('operator')}{values}"
