from contextlib import contextmanager

from loadmaster.kept.watch import Watch
from loadmaster.runs import Setting, case_of
from loadmaster.runs.prepare import compile_first
from loadmaster.traces import generate_netbatch


class Listening(Watch):
    """Remembers what it is told."""

    def __init__(self):
        self.prepared, self.begun, self.seconds = [], [], 0.0

    @contextmanager
    def preparing(self, what):
        self.prepared.append(what)
        yield

    def compiling(self, what):
        self.begun.append(what)

    def compiled(self, seconds):
        self.seconds += seconds


def test_a_new_policy_for_an_engine_that_is_there_is_not_told_as_compiling_it(tmp_path):
    """A policy is compiled in every process, in some tenths of a second each; eight of them are no first time."""
    case = case_of(generate_netbatch("A", jobs=10, hosts=2, seed=1))
    for name in ("first", "second"):
        (tmp_path / f"{name}.py").write_text(f"def mine(demand, free, capacity):\n    return free[0] * {len(name)}.5\n")
    compile_first(case, [Setting(f"{tmp_path}/first.py:mine")], Watch())
    watch = Listening()
    compile_first(case, [Setting(f"{tmp_path}/second.py:mine")], watch)
    assert len(watch.prepared) == 1
    assert (watch.begun, watch.seconds) == ([], 0.0)
