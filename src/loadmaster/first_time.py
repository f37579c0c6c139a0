"""Says once that something is compiled for the first time, where that lasts: a minute of silence looks like a fault."""

import threading
from collections.abc import Callable

QUIET_S = 2.0
"""What is compiled sooner is not told."""


class FirstTime:
    """Told when the compilation of something that is then kept begins and ends, on whatever thread.

    Attributes:
        tell: called once, as soon as a compilation has lasted for `QUIET_S`; nobody is told without.
    """

    def __init__(self) -> None:
        self.tell: Callable[[], None] | None = None
        self._under_way = 0
        self._one_at_a_time = threading.Lock()

    def begins(self) -> None:
        """Something is compiled from now on; within it, other things may be."""
        with self._one_at_a_time:
            self._under_way += 1
            alone = self._under_way == 1
        if alone and self.tell is not None:
            timer = threading.Timer(QUIET_S, self._lasts)
            timer.daemon = True
            timer.start()

    def ends(self) -> None:
        """It is there."""
        with self._one_at_a_time:
            self._under_way = max(self._under_way - 1, 0)

    def _lasts(self) -> None:
        with self._one_at_a_time:
            tell = self.tell if self._under_way else None
            self.tell = None if tell else self.tell
        if tell is not None:
            tell()


FIRST_TIME = FirstTime()
"""That of this process."""
