"""An instance with fewer tasks: without some jobs, or with some of the tasks alone."""

from dataclasses import replace

import numpy as np

from loadmaster.model.arrays import Bools, Ints
from loadmaster.packing.instance import Instance


def without(instance: Instance, refused: Bools) -> Instance:
    """The instance without the jobs of a mask, bool[J]; the others are numbered anew in their order."""
    kept = ~refused[instance.job_of]
    number = np.cumsum(~refused) - 1
    names = (
        tuple(name for name, keep in zip(instance.task_names, kept, strict=True) if keep) if instance.task_names else ()
    )
    return replace(
        instance,
        fluid=instance.fluid[kept],
        rigid=instance.rigid[kept],
        task_names=names,
        job_names=tuple(name for name, out in zip(instance.job_names, refused, strict=False) if not out),
        job=number[instance.job_of[kept]] if instance.parallel or refused.any() else instance.job,
        weight=None if instance.weight is None else instance.weight[~refused],
        guarantee=None if instance.guarantee is None else instance.guarantee[~refused],
        cards=None if instance.cards is None else instance.cards.of_tasks(kept),
    )


def tasks_alone(instance: Instance, kept: Bools) -> Instance:
    """The instance of these tasks, bool[T], alone; a job goes with its last task."""
    jobs, job = np.unique(instance.job_of[kept], return_inverse=True)

    def of_jobs(values: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(values[k] for k in jobs) if values else ()

    number: Ints = job.astype(np.int32)
    return replace(
        instance,
        fluid=instance.fluid[kept],
        rigid=instance.rigid[kept],
        job=number,
        weight=None if instance.weight is None else instance.weight[jobs],
        guarantee=None if instance.guarantee is None else instance.guarantee[jobs],
        task_names=tuple(instance.task_name(int(t)) for t in np.flatnonzero(kept)),
        job_names=of_jobs(instance.job_names),
        cards=None if instance.cards is None else instance.cards.of_tasks(kept),
    )
