"""A small case under heavy load, and its runs, for the tests of this room."""

from functools import lru_cache

from loadmaster.runs import Case, Setting, Threads, case_of
from loadmaster.traces import generate_netbatch


@lru_cache
def busy_case() -> Case:
    """400 synthetic jobs on 10 hosts at load 1.5: some never wait, some wait for hours."""
    return case_of(generate_netbatch("A", jobs=400, hosts=10, load=1.5, seed=3))


class Counting:
    """Makes runs on the local cores, and counts them."""

    def __init__(self):
        self.made = []
        self.checked = []

    def __call__(self, work, tasks, watch):
        self.made += [task.setting.policy for task in tasks]
        self.checked += [task.check for task in tasks]
        return Threads(2)(work, tasks, watch)


THREE = [Setting("first-fit"), Setting("mix-fit"), Setting("max-jobs", beta=0.9)]
