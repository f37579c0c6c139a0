"""A rule that keeps something between its calls is refused by name: workers, kept results and compiled code lose it."""

import pytest

from loadmaster.model import InputError
from loadmaster.rules import Reference
from loadmaster.rules.state import state_written
from loadmaster.sizing.own import checked_sizer

FILE = """
import numpy as np
from collections import deque

COUNT, SEEN, LAST, TABLE, FIXED = 0, [1], deque(), np.zeros(3), (1.0, 2.0)

def counts(demand, free, capacity):
    global COUNT
    COUNT += 1
    return COUNT

def appends(job, now):
    SEEN.append(now)
    return len(SEEN)

def fills(job, now):
    TABLE[0] += 1
    return TABLE[0]

def queues(job, now):
    return helper(now)

def helper(now):
    LAST.appendleft(now)
    return now

class OfItself:
    def __init__(self):
        self.calls = 0
    def decide(self, snapshot):
        self.calls += 1

class InItself:
    def __init__(self):
        self.seen = {}
    def decide(self, snapshot):
        self.seen["last"] = snapshot

class InItsList:
    def __init__(self):
        self.seen = []
    def decide(self, snapshot):
        self.seen.append(snapshot)

class OfItsClass:
    calls = 0
    def decide(self, snapshot):
        OfItsClass.calls += 1

def sound(demand, free, capacity):
    left = []
    left.append(free[0] - demand[0])
    best = np.zeros(2)
    best[0] = FIXED[1] + left[0]
    SEEN.copy()
    return best[0]

class Sound:
    def __init__(self):
        self.limits = [1, 2]
    def decide(self, snapshot):
        found = {}
        found["a"] = self.limits[0]
        found.update(b=2)
        return found
"""


@pytest.fixture
def named(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(FILE)
    return lambda name: Reference(str(path), name).thing()


@pytest.mark.parametrize(("name", "writes"), [
    ("counts", "counts writes to COUNT"), ("appends", "appends writes to SEEN"), ("fills", "fills writes to TABLE"),
    ("queues", "helper writes to LAST"), ("OfItself", "decide writes to self.calls"),
    ("InItself", "decide writes to self.seen"),
    ("InItsList", "decide writes to self.seen"), ("OfItsClass", "decide writes to OfItsClass"),
])  # fmt: skip
def test_a_rule_that_would_lose_what_it_keeps_is_refused_by_name(named, name, writes):
    with pytest.raises(InputError, match=f"{name}.*{writes}, which would be lost"):
        named(name)


@pytest.mark.parametrize("name", ["sound", "Sound"])
def test_what_lives_within_a_call_or_was_there_before_is_nobodys_loss(named, name):
    assert named(name).__name__ == name


def test_an_object_with_a_state_is_refused_in_python_too():
    class Counting:
        name, tick_s = "counting", 60.0

        def __init__(self):
            self.calls = 0

        def decide(self, snapshot):
            self.calls += 1

    with pytest.raises(InputError, match=r"Counting.*decide writes to self\.calls"):
        checked_sizer(Counting())


def test_a_method_that_changes_a_list_counts_under_another_name_too():
    seen = []

    def later(job, now):
        add = seen.append
        add(now)
        return now

    def reads(job, now):
        return now + len(seen) + seen.count(now)

    assert state_written(later) == ("later", "seen")
    assert state_written(reads) is None
