"""One live migration of a virtual machine by libvirt, in a thread. The machine runs all the time.

Were we to die, libvirt would end the move by itself, and the machine would run on where it was.
"""

import threading
import time
from dataclasses import dataclass, field

from loadmaster.live.libvirt.host import LibvirtHost
from loadmaster.live.libvirt.library import libvirt

PATIENCE_S = 600.0
"""A move that takes longer is called off; its machine runs on where it was."""


@dataclass
class MachineMigration:
    """Of one machine.

    Attributes:
        id: of the machine; source, to: hosts.
        began_s: by the clock that is never set.
        why_not: why it failed, once it is over; empty: it has not.
    """

    id: str
    source: LibvirtHost
    to: LibvirtHost
    bandwidth_mib: int = 0
    began_s: float = field(default_factory=time.monotonic)
    why_not: str = ""
    called_off: bool = False
    _thread: threading.Thread | None = None

    def begin(self) -> None:
        """Set off."""
        self._thread = threading.Thread(target=self._travel, name=f"moving {self.id}", daemon=True)
        self._thread.start()

    @property
    def is_over(self) -> bool:
        """It has come, or has failed."""
        return self._thread is not None and not self._thread.is_alive()

    def look(self) -> None:
        """Call it off if it takes too long."""
        if not self.called_off and time.monotonic() - self.began_s > PATIENCE_S:
            self.call_off()

    def call_off(self) -> None:
        """Ask libvirt to end it."""
        self.called_off = True
        try:
            self.source.domain(self.id).abortJob()
        except libvirt().libvirtError:
            return  # it is over this moment

    def wait(self) -> None:
        """Until it is over."""
        if self._thread is not None:
            self._thread.join()

    def _travel(self) -> None:
        library = libvirt()
        try:
            domain = self.source.domain(self.id)
            flags = library.VIR_MIGRATE_LIVE
            if domain.isPersistent():
                flags |= library.VIR_MIGRATE_PERSIST_DEST | library.VIR_MIGRATE_UNDEFINE_SOURCE
            given = {library.VIR_MIGRATE_PARAM_BANDWIDTH: self.bandwidth_mib} if self.bandwidth_mib else {}
            domain.migrate3(self.to.connection, given, flags)
        except library.libvirtError as error:
            self.why_not = str(error)
