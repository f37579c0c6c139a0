"""Ends a live run at SIGTERM, or when its terminal closes, as Ctrl-C does: held jobs are given back first."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class Terminated(KeyboardInterrupt):
    """SIGTERM: a supervisor ends the run, and expects it to end well."""


_ALIKE = (signal.SIGTERM, signal.SIGHUP)


@contextmanager
def as_ctrl_c() -> Iterator[None]:
    """Inside, SIGHUP raises KeyboardInterrupt and SIGTERM `Terminated`, unless they have a handler."""
    taken = []
    if threading.current_thread() is threading.main_thread():
        taken = [number for number in _ALIKE if signal.getsignal(number) == signal.SIG_DFL]
    for number in taken:
        signal.signal(number, _interrupt)
    try:
        yield
    finally:
        for number in taken:
            signal.signal(number, signal.SIG_DFL)


def _interrupt(number: int, *_: Any) -> None:
    raise Terminated if number == signal.SIGTERM else KeyboardInterrupt
