"""The library of libvirt, imported only when it is needed, and silent: errors are raised, not printed."""

import threading
from functools import cache
from types import ModuleType

from loadmaster.model.errors import MissingExtra

KEEP_ALIVE_S = 5
KEEP_ALIVE_TRIES = 3
"""A host that does not answer so often is away."""


@cache
def libvirt() -> ModuleType:
    """The module `libvirt`, with its loop of events running, which notices hosts that have gone.

    Raises:
        MissingExtra: it is not installed.
    """
    try:
        import libvirt as library
        from libvirt import registerErrorHandler, virEventRegisterDefaultImpl  # any folder `libvirt` can be imported
    except ImportError:
        raise MissingExtra("live libvirt", "libvirt") from None
    registerErrorHandler(lambda *_: None, None)
    virEventRegisterDefaultImpl()
    threading.Thread(target=_events, args=(library,), name="libvirt events", daemon=True).start()
    module: ModuleType = library
    return module


def _events(library: ModuleType) -> None:
    while True:
        library.virEventRunDefaultImpl()
