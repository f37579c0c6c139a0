"""What is compiled for the first time is said once, and only where it lasts."""

from loadmaster.jit import first_compilation
from loadmaster.jit.first_compilation import CompilationNotice


class AtOnce:
    """A timer that is over as soon as it starts."""

    def __init__(self, _seconds, function):
        self.start = function


def told(monkeypatch):
    """A watcher whose patience is over at once, and what it says."""
    monkeypatch.setattr(first_compilation.threading, "Timer", AtOnce)
    said, watcher = [], CompilationNotice()
    watcher.tell = lambda: said.append("compiling")
    return watcher, said


def test_what_lasts_is_said_once(monkeypatch):
    watcher, said = told(monkeypatch)
    for _ in range(3):
        watcher.begins()
        watcher.ends()
    assert said == ["compiling"]


def test_what_is_there_before_patience_is_over_is_not_said(monkeypatch):
    watcher, said = told(monkeypatch)
    waiting = []
    monkeypatch.setattr(
        AtOnce, "__init__", lambda self, _s, function: setattr(self, "start", lambda: waiting.append(function))
    )
    watcher.begins()
    watcher.begins()  # within the first
    watcher.ends()
    watcher.ends()
    assert len(waiting) == 1
    waiting[0]()
    assert not said


def test_a_clock_for_limits_leaves_compilations_out(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(first_compilation.time, "perf_counter", lambda: now[0])
    watcher = CompilationNotice()
    began_s = watcher.clock_s()
    now[0] += 2.0
    watcher.begins()
    now[0] += 20.0
    watcher.begins()  # within the first
    now[0] += 20.0
    watcher.ends()
    watcher.ends()
    now[0] += 1.0
    assert watcher.clock_s() - began_s == 3.0


def test_a_compilation_that_failed_does_not_stop_the_clock(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(first_compilation.time, "perf_counter", lambda: now[0])
    watcher = CompilationNotice()
    watcher.begins()
    now[0] += 5.0
    assert watcher.clock_s() == 105.0
