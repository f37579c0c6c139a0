"""Prints once that a long first compilation runs: a minute of silence looks like a fault."""

import threading
import time
from collections.abc import Callable

QUIET_S = 2.0
"""What is compiled sooner is not told."""


class CompilationNotice:
    """Told when the compilation of something that is then kept begins and ends, on whatever thread.

    Attributes:
        tell: called once, as soon as a compilation has lasted for `QUIET_S`; without it nothing is called.
        compiled_s: seconds that compilations took which have ended.
    """

    def __init__(self) -> None:
        self.tell: Callable[[], None] | None = None
        self.compiled_s = 0.0
        self._under_way, self._began_s = 0, 0.0
        self._one_at_a_time = threading.Lock()

    def begins(self) -> None:
        """Something is compiled from now on; within it, other things may be."""
        with self._one_at_a_time:
            self._under_way += 1
            alone = self._under_way == 1
            self._began_s = time.perf_counter() if alone else self._began_s
        if alone and self.tell is not None:
            timer = threading.Timer(QUIET_S, self._lasts)
            timer.daemon = True
            timer.start()

    def ends(self) -> None:
        """It is there."""
        with self._one_at_a_time:
            if self._under_way == 1:
                self.compiled_s += time.perf_counter() - self._began_s
            self._under_way = max(self._under_way - 1, 0)

    def clock_s(self) -> float:
        """Seconds on a clock that leaves compilations out: a search has all the time that its limit gives."""
        return time.perf_counter() - self.compiled_s

    def _lasts(self) -> None:
        with self._one_at_a_time:
            tell = self.tell if self._under_way else None
            self.tell = None if tell else self.tell
        if tell is not None:
            tell()


FIRST_TIME = CompilationNotice()
"""That of this process."""
