"""Reads packing instances: tables of tasks (CSV, Parquet), Alibaba's openb pods, OptaPlanner's cloud balancing."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from loadmaster.model import Cluster, InputError
from loadmaster.model.arrays import Floats, Ints, Longs
from loadmaster.model.cards import whole_cards
from loadmaster.model.exact_amounts import exact_demand
from loadmaster.model.gpu_kinds import kinds_of_cards
from loadmaster.model.units import CORES, GPUS
from loadmaster.packing.cards import cards_of
from loadmaster.packing.cloud_balancing import read_cloud_balancing
from loadmaster.packing.instance import Instance
from loadmaster.packing.kubernetes_objects import is_kubernetes
from loadmaster.packing.machine_reassignment import is_reassignment, read_reassignment
from loadmaster.packing.openb_pods import openb_tasks
from loadmaster.packing.task_table import Tasks, tasks_of
from loadmaster.site.machines import read_machines
from loadmaster.traces.amount_columns import notes_on_hosts, notes_on_memory, resource_of
from loadmaster.traces.files import head_of
from loadmaster.traces.unsupported_files import refuse_inventory
from loadmaster.traces.whole_table import whole_table


@dataclass(frozen=True, eq=False)
class TaskFile:
    """An instance as read.

    Attributes:
        instance: tasks and hosts.
        host: int32[T], where every task runs now, -1 where it does not; None if the file does not say.
        notes: what was assumed or left out, one sentence each.
        numa_nodes: int64[T], NUMA nodes that each task takes; None if the file does not say.
        on_numa_nodes: for each task the nodes that it holds now; None for one without, () if the file does not say.
    """

    instance: Instance
    host: Ints | None = None
    notes: tuple[str, ...] = ()
    numa_nodes: Longs | None = None
    on_numa_nodes: tuple[tuple[int, ...] | None, ...] = ()


def read_tasks(path: Path, hosts: str | Cluster | None = None, fluid: Sequence[str] = (CORES,)) -> TaskFile:
    """Read tasks, and hosts where the file has them.

    A table has a row for each task, and the columns of amounts that all tables have (`cores`, `memory_gb`, `gpus`,
    `resource_NAME`, ...); it may have those of `task_table.TASK_COLUMNS`: `name`; `job`, whose tasks share one yield;
    `tasks`, how many such tasks the row stands for, all of one job; `weight` and `min_yield` of the job; `host`, where
    the task runs now.

    Args:
        path: CSV (also .gz), Parquet, openb's pod list, or what names its hosts itself: OptaPlanner's .json,
            and `model_X.txt` of the ROADEF/EURO challenge 2012.
        hosts: as `--hosts`, or read already; needed for tables.
        fluid: the resources whose demand may be scaled down; none if all demands are to be met in full.

    Raises:
        InputError: no such file, no hosts, or a value that breaks a rule.
    """
    head = head_of(path, 1 << 16) if path.is_file() else b""
    refuse_inventory(path, head)
    if is_kubernetes(head):
        fix = "give it to info, pack or rebalance"
        raise InputError(path.name, "a state of Kubernetes, not a table of tasks", fix=fix)
    if is_reassignment(path):
        return _of_challenge(path, hosts, fluid)
    if path.suffix == ".json":
        cloud = read_cloud_balancing(path)
        note = "the computers' costs were not used: packing raises yields and saves no computers"
        instance = instance_of(
            cloud.cluster, cloud.demand, fluid, task_names=cloud.names, source=path.name, synthetic=True
        )
        return TaskFile(instance, None, (note,))
    if hosts is None:
        head_of(path, 1)  # a file that is not there is told first
        raise InputError(path.name, "the file does not name the hosts", fix="give --hosts like 20x16c64g")
    table = whole_table(path)
    cluster = read_machines(hosts) if isinstance(hosts, str) else hosts
    tasks = openb_tasks(path, table, cluster) if "cpu_milli" in table.frame.columns else tasks_of(path, table, cluster)
    notes = [*tasks.notes, *notes_on_memory("tasks", tasks.most_plain_memory)]
    instance = instance_of(
        cluster,
        tasks.demand,
        fluid,
        job=tasks.job,
        task_names=tasks.names,
        job_names=tasks.job_names,
        source=path.name,
        **_of_jobs(tasks),
    )
    instance = on_single_cards(instance, cluster, tasks.gpu_kind)
    all_notes = (*notes, *notes_on_hosts(cluster))
    return TaskFile(instance, tasks.host, all_notes, tasks.numa_nodes, tasks.on_numa_nodes)


def on_single_cards(instance: Instance, cluster: Cluster, gpu_kind: Sequence[str]) -> Instance:
    """The instance with GPUs as single cards, if tasks request GPUs and these are not scaled (rule K22).

    Args:
        instance: as read, without cards.
        cluster: its hosts; the features of a host are the names of the kind of its cards.
        gpu_kind: the kinds that each task accepts; empty for any.

    Raises:
        InputError: a task requests several GPUs and a part of one, or a host has part of a GPU.
    """
    if GPUS not in instance.rigid_names:
        return instance
    asked = instance.rigid[:, instance.rigid_names.index(GPUS)]
    if not asked.any():
        return instance
    there = whole_cards(instance.rigid_capacity[:, instance.rigid_names.index(GPUS)], instance.host_names)
    features = cluster.rules.features if cluster.rules is not None and cluster.rules.features else ((),) * cluster.hosts
    hosts = [kinds_of_cards(names, int(count)) for names, count in zip(features, there, strict=True)]
    return replace(instance, cards=cards_of(asked, hosts, gpu_kind or None, instance.task_names))


def _of_challenge(path: Path, hosts: str | Cluster | None, fluid: Sequence[str]) -> TaskFile:
    if hosts is not None:
        raise InputError("--hosts", "the model names its own machines", fix="leave it out")
    found = read_reassignment(path)
    names = tuple(f"p{number}" for number in range(len(found.demand)))
    instance = instance_of(found.cluster, found.demand, fluid, task_names=names, source=path.name, synthetic=True)
    return TaskFile(instance, found.host, found.notes)


def instance_of(cluster: Cluster, demand: Floats, fluid: Sequence[str], **more: Any) -> Instance:
    """Tasks with `demand`, float64[T, R] over the cluster's resources, those named in `fluid` scalable."""
    names = [name if name in cluster.resources else resource_of(name) or name for name in fluid]
    unknown = [name for name in names if name not in cluster.resources]
    if unknown:
        known = ", ".join(cluster.resources)
        raise InputError(", ".join(unknown), "no fluid resource of the hosts", fix=f"known: {known}, or none")
    scaled = [cluster.resources.index(name) for name in names]
    rest = [r for r in range(len(cluster.resources)) if r not in scaled]
    demand = exact_demand(demand)  # as the cluster's capacity is, so that what fills a host on paper fills it
    return Instance(
        demand[:, scaled],
        demand[:, rest],
        cluster.capacity[:, scaled],
        cluster.capacity[:, rest],
        fluid_names=tuple(names),
        rigid_names=tuple(cluster.resources[r] for r in rest),
        host_names=cluster.names,
        price=cluster.price_per_hour,
        **more,
    )


def _of_jobs(tasks: Tasks) -> dict[str, Floats]:
    given = {"weight": tasks.weight, "guarantee": tasks.guarantee}
    return {name: values for name, values in given.items() if values is not None}
