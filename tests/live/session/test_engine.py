"""The contract of live engines: an observation whose parts contradict each other is refused by name."""

from dataclasses import replace

import numpy as np
import pytest

from loadmaster.live.session.engine import CLAIMED, HELD, NOWHERE, RUNNING, Observation, ObservedTasks
from loadmaster.model import Cluster, InputError, Workload


def seen() -> Observation:
    cluster = Cluster(("cores",), np.full((2, 1), 4.0), ("a", "b"))
    jobs = Workload.of(submit_s=[0, 1], runtime_s=[60, 60], cores=[1, 2], tasks=[2, 1])
    tasks = ObservedTasks(
        np.array([0, 0, 1]),
        np.array([0, 1, 0], np.int32),
        np.array([RUNNING, RUNNING, HELD], np.int32),
        np.array([0, 1, NOWHERE], np.int32),
        np.array([0, 1, NOWHERE], np.int32),
    )
    return Observation(5.0, cluster, np.ones(2, bool), jobs, ("7", "8"), tasks)


def test_a_sound_observation_passes() -> None:
    seen().check()


@pytest.mark.parametrize(
    ("wrong", "rule"),
    [
        ({"ids": ("7",)}, "2 jobs need as many names"),
        ({"ids": ("7", "7")}, "two jobs have one name"),
        ({"up": np.ones(3, bool)}, "up of 2 hosts"),
        ({"cluster": Cluster.uniform(2, cores=4)}, "every host needs the engine's name"),
        ({"cluster": Cluster(("gpus",), np.ones((2, 1)), ("a", "b"))}, "the hosts have gpus"),
    ],
)
def test_parts_that_do_not_belong_together_are_refused(wrong: dict[str, object], rule: str) -> None:
    with pytest.raises(InputError, match=rule):
        replace(seen(), **wrong).check()  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("column", "values", "rule"),
    [
        ("job", [0, 1, 1], "every task of every job"),
        ("host", [0, 2, NOWHERE], "no such host"),
        ("pin", [0, -2, NOWHERE], "no such host"),
        ("host", [0, NOWHERE, NOWHERE], "a task that runs has a host"),
    ],
)
def test_tasks_that_cannot_be_are_refused(column: str, values: list[int], rule: str) -> None:
    good = seen()
    tasks = replace(good.tasks, **{column: np.array(values, getattr(good.tasks, column).dtype)})
    with pytest.raises(InputError, match=rule):
        replace(good, tasks=tasks).check()


def test_a_claimed_task_needs_no_host() -> None:
    good = seen()
    replace(good, tasks=replace(good.tasks, state=np.array([RUNNING, RUNNING, CLAIMED], np.int32))).check()
