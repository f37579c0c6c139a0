"""An instance of the packing problem: what tasks request and what hosts have, one column a resource."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from loadmaster.model.arrays import Floats, Ints, Longs, frozen_floats, frozen_ints
from loadmaster.model.errors import InputError
from loadmaster.packing.cards import Cards

TOLERANCE = 1e-9
"""A host is full when demand exceeds its capacity by more than this fraction of the largest host."""

LITTLE = 1e-6
"""The fraction of a host that a task requests of a right to be on hosts with some resource; above the tolerance."""


class Scaled(NamedTuple):
    """The instance as solvers see it: amounts as fractions of the largest host, weights multiplied in.

    Attributes:
        need: float64[T, F], fluid demand times weight: the load that one unit of level puts on a host.
        room: float64[H, F], fluid capacity.
        hard: float64[T, D], what must fit in full: the rigid demands; a column for each fluid resource that some host
            has none of, which keeps the tasks that request it off that host; the guaranteed fluid shares if any.
        hard_room: float64[H, D], the capacity for it.
        fixed: columns of `hard` before the guaranteed shares.
    """

    need: Floats
    room: Floats
    hard: Floats
    hard_room: Floats
    fixed: int


@dataclass(frozen=True, eq=False)
class Instance:
    """T tasks of J jobs, to be placed on H hosts.

    Every task needs its rigid demands in full and may get a share of its fluid ones. All tasks of a job share one
    yield y in [0, 1]: each gets y times its fluid demands. A packer maximises the level, the minimum over the jobs
    of y / weight with the largest weight scaled to 1, and y is never below the job's guarantee. A host may have none
    of a fluid resource: then it takes only tasks that request none of it.

    Attributes:
        fluid: float64[T, F], fluid demands, zero or more.
        rigid: float64[T, M], rigid demands, zero or more.
        fluid_capacity: float64[H, F].
        rigid_capacity: float64[H, M].
        job: int32[T], the job of every task, 0..J-1 with none left out; None means a job of its own for every task.
        weight: float64[J], more than 0; None means equal weights.
        guarantee: float64[J], the least yield promised to every job, in [0, 1]; None means 0.
        fluid_names, rigid_names: names of the resources.
        task_names, host_names, job_names: shown to the user; empty for "0", "1", ...
        price: float64[H], what each host in use costs, zero or more; None where no prices are known.
        cards: the GPUs of hosts as units of their own, and what tasks request of them; None where no task is bound to
            single cards. The rigid resource `gpus` counts the same cards.
        source: where the instance comes from.
        synthetic: made by a generator; said wherever a result is shown.

    Raises:
        InputError: columns that do not match, or the first value that breaks its rule.

    Example:
        >>> two = Instance.of(hosts=2, cpu=[0.6, 0.6, 0.6], memory=[0.3, 0.3, 0.3])
        >>> two.tasks, two.hosts
        (3, 2)
    """

    fluid: Floats
    rigid: Floats
    fluid_capacity: Floats
    rigid_capacity: Floats
    job: Ints | None = None
    weight: Floats | None = None
    guarantee: Floats | None = None
    fluid_names: tuple[str, ...] = ("cpu",)
    rigid_names: tuple[str, ...] = ("memory",)
    task_names: tuple[str, ...] = ()
    host_names: tuple[str, ...] = ()
    job_names: tuple[str, ...] = ()
    source: str = ""
    synthetic: bool = False
    price: Floats | None = None
    cards: Cards | None = None

    def __post_init__(self) -> None:
        for name in ("fluid", "rigid", "fluid_capacity", "rigid_capacity", "weight", "guarantee", "price"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, frozen_floats(getattr(self, name)))
        if self.job is not None:
            object.__setattr__(self, "job", frozen_ints(self.job))
        _check(self)

    @classmethod
    def of(
        cls,
        hosts: int,
        cpu: ArrayLike,
        memory: ArrayLike,
        *,
        job: ArrayLike | None = None,
        weight: ArrayLike | None = None,
        guarantee: ArrayLike | None = None,
        source: str = "",
        synthetic: bool = False,
    ) -> "Instance":
        """`hosts` equal hosts of capacity 1 and tasks with one fluid and one rigid demand (Casanova et al. 2008)."""
        one = np.ones((hosts, 1))
        return cls(
            np.asarray(cpu, np.float64).reshape(-1, 1),
            np.asarray(memory, np.float64).reshape(-1, 1),
            one,
            one,
            None if job is None else np.asarray(job, np.int32),
            None if weight is None else np.asarray(weight, np.float64),
            None if guarantee is None else np.asarray(guarantee, np.float64),
            source=source,
            synthetic=synthetic,
        )

    @property
    def tasks(self) -> int:
        """Number of tasks, T."""
        return int(self.fluid.shape[0])

    @property
    def hosts(self) -> int:
        """Number of hosts, H."""
        return int(self.fluid_capacity.shape[0])

    @cached_property
    def rigid_only(self) -> bool:
        """Every task gets all that it requests wherever it is: nothing is fluid, or each job has a guarantee of 1."""
        return self.fluid.shape[1] == 0 or (self.tasks > 0 and bool((self.task_guarantee >= 1).all()))

    @cached_property
    def job_of(self) -> Ints:
        """int32[T]: the job of every task."""
        return np.arange(self.tasks, dtype=np.int32) if self.job is None else self.job

    @cached_property
    def jobs(self) -> int:
        """Number of jobs, J."""
        return int(self.job_of.max()) + 1 if self.tasks else 0

    @cached_property
    def task_weight(self) -> Floats:
        """float64[T]: the weight of every task's job, the largest of all jobs scaled to 1."""
        if self.weight is None or self.jobs == 0:
            return np.ones(self.tasks)
        return np.asarray(self.weight[self.job_of] / self.weight.max())

    @cached_property
    def task_guarantee(self) -> Floats:
        """float64[T]: the guaranteed yield of every task's job."""
        return np.zeros(self.tasks) if self.guarantee is None else np.asarray(self.guarantee[self.job_of])

    @cached_property
    def weighted(self) -> bool:
        """Some job weighs more than another."""
        return bool(np.ptp(self.task_weight) > 0) if self.tasks else False

    @cached_property
    def guaranteed(self) -> bool:
        """Some job has a guaranteed yield above 0."""
        return bool((self.task_guarantee > 0).any())

    @cached_property
    def parallel(self) -> bool:
        """Some job has more than one task."""
        return self.jobs < self.tasks

    @cached_property
    def uniform(self) -> bool:
        """All hosts are equal."""
        capacity = np.hstack((self.fluid_capacity, self.rigid_capacity))
        return bool((capacity == capacity[0]).all())

    @cached_property
    def scaled(self) -> Scaled:
        """The instance in fractions of the largest host; with hosts of capacity 1 nothing changes."""
        fluid_unit = _largest(self.fluid_capacity)
        rigid_unit = _largest(self.rigid_capacity)
        hard, hard_room = self.rigid / rigid_unit, self.rigid_capacity / rigid_unit
        room = self.fluid_capacity / fluid_unit
        barred, open_to = _host_rights(self)
        hard, hard_room = np.hstack((hard, barred)), np.hstack((hard_room, open_to))
        fixed = hard.shape[1]
        if self.guaranteed:
            hard = np.hstack((hard, self.fluid / fluid_unit * self.task_guarantee[:, None]))
            hard_room = np.hstack((hard_room, room))
        need = self.fluid / fluid_unit * self.task_weight[:, None]
        need, room, hard, hard_room = (np.ascontiguousarray(column) for column in (need, room, hard, hard_room))
        return Scaled(need, room, hard, hard_room, fixed)

    @cached_property
    def hard_unit(self) -> Floats:
        """float64[D]: what 1 in each column of `Scaled.hard` stands for, in the resource's unit."""
        rights = np.ones(len(lacking(self)))
        shares = _largest(self.fluid_capacity)[: self.scaled.hard.shape[1] - self.scaled.fixed]
        return np.concatenate((_largest(self.rigid_capacity), rights, shares))

    def task_name(self, task: int) -> str:
        """The name of task number `task`."""
        return self.task_names[task] if self.task_names else str(int(task))

    def host_name(self, host: int) -> str:
        """The name of host number `host`."""
        return self.host_names[host] if self.host_names else str(int(host))

    def job_name(self, job: int) -> str:
        """The name of job number `job`; a job of one task may bear the task's."""
        if self.job_names:
            return self.job_names[job]
        return str(int(job)) if self.parallel else self.task_name(int(self._first_task[job]))

    @cached_property
    def _first_task(self) -> Longs:
        """int64[J]: the first task of every job."""
        return np.unique(self.job_of, return_index=True)[1]


def lacking(instance: Instance) -> Ints:
    """int64[B]: the fluid resources that some host has none of."""
    return np.flatnonzero((instance.fluid_capacity <= 0).any(axis=0)).astype(np.int32)


def _host_rights(instance: Instance) -> tuple[Floats, Floats]:
    """float64[T, B] and float64[H, B]: next to nothing of a host that has the resource, more than one without it has.

    So little that it is no task's largest demand, and that all tasks together fit.
    """
    columns = lacking(instance)
    asks = np.where(instance.fluid[:, columns] > 0, min(LITTLE, 1.0 / max(1, instance.tasks)), 0.0)
    return asks, (instance.fluid_capacity[:, columns] > 0).astype(np.float64)


def _largest(capacity: Floats) -> Floats:
    largest = capacity.max(axis=0)
    return np.where(largest > 0, largest, 1.0)


def _check(instance: Instance) -> None:
    for name in ("fluid", "rigid", "fluid_capacity", "rigid_capacity"):
        amounts = getattr(instance, name)
        if amounts.ndim != 2:
            raise InputError(amounts.shape, f"{name} must be a table: a row for each task or host")
        bad = ~np.isfinite(amounts) | (amounts < 0)
        if bad.any():
            row, column = np.argwhere(bad)[0]
            raise InputError(amounts[row, column], f"{name} in row {row} must be zero or more")
    if instance.hosts == 0:
        raise InputError("no hosts", "packing needs at least one host", fix="give --hosts like 20x16c64g")
    rules = [
        (instance.rigid.shape[0] == instance.tasks, "fluid and rigid need as many rows"),
        (instance.rigid_capacity.shape[0] == instance.hosts, "both capacities need as many rows"),
        (instance.fluid.shape[1] == instance.fluid_capacity.shape[1], "tasks and hosts need the same fluid resources"),
        (instance.rigid.shape[1] == instance.rigid_capacity.shape[1], "tasks and hosts need the same rigid resources"),
        (len(instance.fluid_names) == instance.fluid.shape[1], "every fluid resource needs a name"),
        (len(instance.rigid_names) == instance.rigid.shape[1], "every rigid resource needs a name"),
        (len(instance.task_names) in (0, instance.tasks), "every task needs a name, or none"),
        (len(instance.host_names) in (0, instance.hosts), "every host needs a name, or none"),
        (instance.price is None or instance.price.shape == (instance.hosts,), "every host needs a price, or none"),
        (instance.price is None or bool((instance.price >= 0).all()), "prices must be zero or more"),
        (instance.cards is None or instance.cards.tasks == instance.tasks, "every task needs a request of cards"),
        (instance.cards is None or instance.cards.hosts == instance.hosts, "every host needs a row of cards"),
    ]
    for holds, rule in rules:
        if not holds:
            raise InputError("an instance", rule)
    _check_jobs(instance)


def _check_jobs(instance: Instance) -> None:
    if len(instance.job_names) not in (0, instance.jobs):
        raise InputError(len(instance.job_names), f"job_names needs a name for each of {instance.jobs} jobs, or none")
    if instance.job is not None:
        if instance.job.shape != (instance.tasks,):
            raise InputError(instance.job.shape, f"job needs a value for each of {instance.tasks} tasks")
        if instance.tasks and (instance.job.min() < 0 or len(np.unique(instance.job)) != instance.jobs):
            raise InputError("job", "jobs must be numbered 0, 1, ... with none left out")
    for name, low, high in (("weight", 0.0, np.inf), ("guarantee", 0.0, 1.0)):
        values = getattr(instance, name)
        if values is None:
            continue
        if values.shape != (instance.jobs,):
            raise InputError(values.shape, f"{name} needs a value for each of {instance.jobs} jobs")
        bad = ~np.isfinite(values) | (values < low) | (values > high)
        bad |= (values <= 0) if name == "weight" else False
        if bad.any():
            job = int(np.argmax(bad))
            rule = "must be more than 0" if name == "weight" else "must lie in [0, 1]"
            raise InputError(values[job], f"{name} of job {job} {rule}")
