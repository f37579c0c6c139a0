"""What was requested beside what was used, in total and by group (rule H15)."""

import numpy as np
import pytest

from loadmaster.measure.job_groups import groupings
from loadmaster.measure.recorded_hosts import groups_of_log
from loadmaster.measure.requested_and_used import requested_and_used
from loadmaster.model import Workload

GIB = 2.0**30


def log(**columns):
    return Workload.of(
        submit_s=[0, 0, 0], runtime_s=[10, 20, 30], cores=[2, 1, 1], memory=[GIB, 2 * GIB, 0], user=[0, 1, 1], **columns
    )


def test_processor_time_counts_for_each_core_and_memory_for_each_task_over_the_runtime():
    use = {"cpu_time_s": np.array([5.0, 20.0, -1.0]), "used_memory": np.array([GIB / 4, 2 * GIB, GIB])}
    cores, memory = requested_and_used(log(tasks=[1, 1, 1]), use)
    assert (cores.asked.tolist(), cores.used.tolist()) == ([20.0, 20.0, 0.0], [10.0, 20.0, 0.0])
    assert (cores.part, cores.jobs, cores.below_half, cores.idle_below_half) == (0.75, 2, 0, 0.0)
    assert (memory.asked / GIB).tolist() == [10.0, 40.0, 0.0]  # the third requested none
    assert (memory.used / GIB).tolist() == [2.5, 40.0, 0.0]
    assert (memory.below_half, memory.idle_below_half) == (1, 7.5 / 50)


def test_several_tasks_use_as_much_each():
    (memory,) = requested_and_used(log(tasks=[3, 1, 1]), {"used_memory": np.array([GIB / 2, -1.0, -1.0])})
    assert (memory.asked.sum(), memory.used.sum()) == (30 * GIB, 15 * GIB)


def test_of_a_resource_whose_use_no_job_tells_nothing_is_said():
    assert requested_and_used(log(), {"cpu_time_s": np.full(3, -1.0)}) == ()
    assert requested_and_used(log(), {}) == ()


def test_a_group_without_a_job_that_tells_its_use_has_none():
    use = requested_and_used(log(), {"cpu_time_s": np.array([5.0, -1.0, -1.0])})
    by = {each.by: each for each in groupings(log())}
    assert use[0].by(by["user"]) == {"0": 0.5, "1": None}
    users = next(each for each in groups_of_log(log(), use) if each.by == "user")
    assert [row["used_cores"] for row in users.rows()] == [0.5, None]


@pytest.mark.parametrize("by", ["size", "hour"])
def test_the_parts_of_groups_stand_beside_their_names(by):
    use = requested_and_used(log(), {"cpu_time_s": np.array([5.0, 10.0, 30.0])})
    groups = next(each for each in groups_of_log(log(), use) if each.by == by)
    total = sum(row["used_cores"] * row["core_s"] for row in groups.rows())
    assert total == pytest.approx(use[0].used.sum())
