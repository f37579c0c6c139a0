"""Keeps a Ctrl-C that Python can only ignore, as in a callback of LLVM during compilation, and raises it later."""

import signal
import sys
import threading
from typing import Any

AGAIN_S = 0.2
"""So long after it an ignored interrupt is raised again; what it broke has usually failed by then."""


class DeferredInterrupt:
    """Watches for ignored interrupts from its making on.

    Attributes:
        any: whether there was one. An error that follows is a consequence of it, and no news.
    """

    def __init__(self) -> None:
        self.any = False
        main = threading.main_thread().ident
        self._again = threading.Timer(AGAIN_S, signal.pthread_kill, (main, signal.SIGINT))
        self._again.daemon = True
        self._usual = sys.unraisablehook
        sys.unraisablehook = self._ignored

    def settled(self) -> bool:
        """Whether there was one, which from now on is not raised again."""
        self._again.cancel()
        return self.any

    def _ignored(self, ignored: Any) -> None:
        if ignored.exc_type is not KeyboardInterrupt:
            self._usual(ignored)
        elif not self.any:
            self.any = True
            self._again.start()
