"""The clock of an engine."""

import threading
import time


class RealClock:
    """The clock of this machine, for runs that are real."""

    def now_s(self) -> float:
        """Seconds since the epoch."""
        return time.time()

    def sleep_until(self, moment_s: float) -> None:
        """Come back at that time, or at once if it is over."""
        while (left_s := moment_s - time.time()) > 0:
            time.sleep(left_s)


class FakeClock:
    """Time that passes only during a wait."""

    def __init__(self, now_s: float = 0.0) -> None:
        self._now_s = now_s

    def now_s(self) -> float:
        """Seconds since the fake began."""
        return self._now_s

    def sleep_until(self, moment_s: float) -> None:
        """It is that time now."""
        self._now_s = max(self._now_s, moment_s)


class WokenClock:
    """Seconds since it was made; an engine with news ends the wait."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._news = threading.Event()

    def now_s(self) -> float:
        """Seconds since it was made, whatever becomes of the time of day."""
        return time.monotonic() - self._began

    def sleep_until(self, moment_s: float) -> None:
        """Come back at that time, or as soon as there are news."""
        self._news.wait(max(0.0, moment_s - self.now_s()))
        self._news.clear()  # the next observation shows what is new

    def ring(self) -> None:
        """There are news; may be called from any thread."""
        self._news.set()
