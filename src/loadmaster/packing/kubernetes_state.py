"""What `kubectl get nodes,pods -A -o json` prints, as a running state: nodes are hosts, pods tasks."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from loadmaster.model import Cluster
from loadmaster.model.arrays import Floats, Ints
from loadmaster.model.exact_amounts import MOST
from loadmaster.model.units import CORES, MEMORY
from loadmaster.packing.kubernetes_objects import PODS, KubernetesObjects, read_objects

_IF_ASKED = ("ephemeral-storage", "storage", "hugepages-")
"""What nodes have of these is a resource only where some pod requests it."""


@dataclass(frozen=True, eq=False)
class KubernetesState:
    """Hosts and what runs on them.

    Attributes:
        cluster: nodes that take pods, by what they can allocate.
        demand: float64[T, R], what each pod requests.
        names: of the pods, namespace/name.
        job: int32[T], pods of one owner are one job.
        job_names: of the jobs.
        host: int32[T], where each pod runs; -1 for one that waits.
        gated: how many pods wait for a gate of their own to open; they are not among the tasks.
        objects: the nodes and pods as they were read.
    """

    cluster: Cluster
    demand: Floats
    names: tuple[str, ...]
    job: Ints
    job_names: tuple[str, ...]
    host: Ints
    gated: int
    objects: KubernetesObjects


def read_kubernetes(path: Path) -> KubernetesState:
    """The state in `path`.

    A pod requests the sum of its containers, or the largest of its init containers where that is more, and its
    overhead. An object that cannot be read is left out by name; its node then takes no further pod.

    Raises:
        InputError: it cannot be read, or has no node that takes pods or no pod.
    """
    return _state(read_objects(path))


def _state(found: KubernetesObjects) -> KubernetesState:
    asked = [pod for pod in found.pods if not pod.node or pod.node in found.nodes]
    resources = _resources([node.has for node in found.nodes.values()], [pod.asks for pod in asked])
    hosts = {name: number for number, name in enumerate(found.nodes)}
    enough = {PODS: float(len(asked))}  # a node that lists no number of pods takes any
    has = [enough | node.has for node in found.nodes.values()]
    capacity = np.array([[each.get(name, 0.0) for name in resources] for each in has])
    jobs: dict[str, int] = {}
    job = np.array([jobs.setdefault(pod.owner, len(jobs)) for pod in asked], np.int32)
    demand = np.array([[pod.asks.get(name, 0.0) for name in resources] for pod in asked]).reshape(-1, len(resources))
    host = np.array([hosts.get(pod.node, -1) for pod in asked], np.int32)
    cluster = Cluster(resources, np.minimum(capacity, MOST), tuple(found.nodes))
    return KubernetesState(
        cluster, demand, tuple(pod.name for pod in asked), job, tuple(jobs), host, found.gated, found
    )


def _resources(of_nodes: list[dict[str, float]], of_pods: list[dict[str, float]]) -> tuple[str, ...]:
    """Processors, memory, all that pods request, and what nodes list beside that; the number of pods where they do."""
    asked = dict.fromkeys(name for each in of_pods for name, amount in each.items() if amount > 0)
    listed = dict.fromkeys(name for each in of_nodes for name, amount in each.items() if amount > 0)
    listed = {name: None for name in listed if name in asked or not name.startswith(_IF_ASKED)}
    known = dict.fromkeys((CORES, MEMORY)) | listed | asked
    if not any(PODS in each for each in of_nodes):
        del known[PODS]
    return tuple(name for name in known if name != PODS) + ((PODS,) if PODS in known else ())
