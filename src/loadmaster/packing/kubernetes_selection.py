"""Which pods a term of another pod chooses: its selector, its namespaces, the labels that it names."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from loadmaster.packing.constrained.groups import TaskGroup
from loadmaster.packing.kubernetes_affinity import selects
from loadmaster.packing.kubernetes_objects import KubernetesObjects, ListedPod


class PodSelection:
    """Which pods the selector of another pod chooses, each selector asked once."""

    def __init__(self, objects: KubernetesObjects, pods: Sequence[ListedPod]) -> None:
        self._alike: dict[tuple[str, str], tuple[Mapping[str, str], list[int]]] = {}
        for number, pod in enumerate(pods):
            text = json.dumps(pod.labels, sort_keys=True)
            self._alike.setdefault((pod.space, text), (pod.labels, []))[1].append(number)
        self._spaces = {
            str(each["metadata"].get("name")): dict(each["metadata"].get("labels") or {})
            for each in objects.others.get("Namespace", ())
        }
        self._groups: dict[str, TaskGroup] = {}

    def of(self, term: Mapping[str, Any], pod: ListedPod) -> TaskGroup:
        """The pods that a term of `pod` chooses.

        Raises:
            ValueError: the file lists no namespaces, and the term selects some by their labels.
        """
        selector = self._with_own_labels(term, pod)
        spaces, by_label = term.get("namespaces"), term.get("namespaceSelector")
        if by_label and not self._spaces:
            raise ValueError("namespaces are not listed")
        chosen = set(spaces or ())
        if by_label is not None:
            chosen |= {name for name, labels in self._spaces.items() if selects(by_label, labels)}
        every = by_label == {}
        chosen = chosen or {pod.space}
        key = json.dumps([selector, None if every else sorted(chosen)], sort_keys=True)
        if key not in self._groups:
            members = [
                number
                for (space, _), (labels, alike) in self._alike.items()
                if (every or space in chosen) and selects(selector, labels)
                for number in alike
            ]
            self._groups[key] = TaskGroup(f"pods with {selector_in_words(selector)}", np.array(members, np.int32))
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
