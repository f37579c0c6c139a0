"""Part of a queue has of each job what the whole has, also where columns are gathered when looked at."""

import numpy as np

from loadmaster.model.on_demand import on_demand
from loadmaster.model.snapshot import Queue


def whole():
    number = np.arange(3)
    columns = {name: number.copy() for name in ("job", "tasks", "expected_s", "project", "first_task", "user")}
    return {**columns, "demand": np.ones((3, 1)), "uses": (((0, 1.0),), (), ((1, 2.0),))}


def test_a_part_of_a_queue_has_the_columns_of_its_jobs():
    given = whole()
    lazy = on_demand(Queue)(lambda name: given.get(name), {})
    for queue in (Queue(**given), lazy):
        part = queue.take(np.array([True, False, True]))
        assert (part.job.tolist(), part.user.tolist(), part.uses) == ([0, 2], [0, 2], (((0, 1.0),), ((1, 2.0),)))
        assert (len(part.requests), part.rank) == (2, None)
