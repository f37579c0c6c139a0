"""Gang scheduling as the baseline of the virtual clusters: slots by hand, memory, and a claim that can say no."""

import numpy as np
import pytest

from loadmaster.packing.instance import Instance
from loadmaster.papers.casanova2008 import gang
from loadmaster.papers.casanova2008.gang import fractions_beat_slices, gang_slots, gang_yields


def test_tasks_of_a_job_share_a_slot_and_each_host_serves_one_task_in_it():
    # two jobs of two tasks and one of one on two hosts: three slots, a third of the time each
    five = Instance.of(2, cpu=[0.5] * 5, memory=[0.1] * 5, job=[0, 0, 1, 1, 2])
    slot = gang_slots(five)
    assert sorted(slot.tolist()) == [0, 1, 2]
    assert gang_yields(five, slot) == pytest.approx(np.full(5, 2 / 3))


def test_small_jobs_fill_a_slot_together():
    four = Instance.of(2, cpu=[1.0] * 4, memory=[0.1] * 4)
    assert gang_slots(four).max() == 1
    assert gang_yields(four, gang_slots(four)) == pytest.approx(np.full(4, 0.5))


def test_memory_of_all_slots_must_fit_at_once():
    assert gang_slots(Instance.of(1, cpu=[0.2, 0.2], memory=[0.6, 0.6])) is None
    assert gang_slots(Instance.of(1, cpu=[0.2, 0.2], memory=[0.5, 0.5])).tolist() == [0, 1]


def test_no_task_gets_more_than_it_asks_for():
    one = Instance.of(1, cpu=[0.2], memory=[0.1])
    assert gang_yields(one, gang_slots(one)).tolist() == [1.0]


def test_the_claim_differs_where_slices_are_as_good(monkeypatch):
    monkeypatch.setattr(gang, "INSTANCES", 3)
    monkeypatch.setattr(gang, "HOSTS", 8)
    monkeypatch.setattr(gang, "TASKS", 30)
    assert fractions_beat_slices(0, parallel=False).verdict == "holds"
    monkeypatch.setattr(gang, "gang_yields", lambda instance, slot: np.ones(instance.tasks))
    assert fractions_beat_slices(0, parallel=False).verdict == "differs"
