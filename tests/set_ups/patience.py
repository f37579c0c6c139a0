"""Waits for what must come, however busy the machine is: nothing here depends on how fast anything is."""

import time
from collections.abc import Callable

PATIENCE_S = 240.0
"""Longer than the slowest machine needs to start a cluster; only a test that fails waits as long."""


def until(condition: Callable[[], object], what: str) -> None:
    """Return as soon as `condition()` is true; fails with `what` if it never is."""
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end, f"waited {PATIENCE_S:g} s in vain: {what}"
        time.sleep(0.05)
