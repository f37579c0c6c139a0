"""Which nodes a pod may use, in the model's words: features of hosts."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from loadmaster.live.kubernetes.nodes import Node
from loadmaster.live.kubernetes.pods import Pod
from loadmaster.packing.kubernetes_affinity import admits, required_of


class Places:
    """Which nodes pods may use, as features of hosts; asked once for all pods of one template."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        self._nodes = nodes
        self._found: dict[str, str | None] = {}

    def features(self, pod: Pod) -> str | None:
        """Groups of nodes and single nodes, joined by `|`; "" for all of them, None for none.

        Raises:
            ValueError: an operator that we do not know.
        """
        spec = pod.spec
        asked = (spec.get("nodeSelector"), required_of(spec, "nodeAffinity"), spec.get("tolerations"))
        key = json.dumps(asked, sort_keys=True)
        if key not in self._found:
            self._found[key] = self._asked(spec)
        return self._found[key]

    def _asked(self, spec: Mapping[str, Any]) -> str | None:
        good = [node for node in self._nodes if admits(node.labels, node.name, node.taints, spec)]
        if len(good) == len(self._nodes):
            return ""
        names = {node.name for node in good}
        split = {node.group for node in self._nodes if node.name not in names}
        words = [node.name if node.group in split else node.group for node in good]
        return "|".join(dict.fromkeys(words)) or None
