"""One host: a connection to its libvirt, what it has, and the machines that run on it."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from loadmaster.live.libvirt.library import KEEP_ALIVE_S, KEEP_ALIVE_TRIES, libvirt
from loadmaster.live.session.cpu_quota import CpuQuota, share_of
from loadmaster.live.session.engine import EngineDown
from loadmaster.model.errors import InputError

MIB, KIB = 2**20, 2**10


class Machine(NamedTuple):
    """A machine on a host.

    Attributes:
        name: of it; id: name and UUID, which no other has.
        cores: virtual CPUs; memory: bytes.
        share: of those that each of them may have now.
        coming: it is only there to take in a machine that is on its way.
        why_left_out: it is none of ours to cap or move, since ...; empty: it is.
        why_stays: it cannot be moved, since ...
    """

    name: str
    id: str
    cores: int
    memory: int
    share: float
    coming: bool = False
    why_left_out: str = ""
    why_stays: str = ""


@dataclass
class LibvirtHost:
    """To be made by `opened`.

    Attributes:
        uri: as given.
        name: of the host, unique among those of a run.
        cores: physical CPUs; memory: bytes.
        connection: to libvirt; replaced when it has broken.
    """

    uri: str
    name: str
    cores: int
    memory: int
    connection: Any
    _devices: dict[str, str] = field(default_factory=dict)

    def machines(self) -> list[Machine]:
        """Everything that is there now and holds memory.

        Raises:
            EngineDown: the host does not answer.
        """
        library = libvirt()
        active = library.VIR_CONNECT_LIST_DOMAINS_ACTIVE
        try:
            if not self.connection.isAlive():
                self.connection = _connection(self.uri)
            return [machine for each in self.connection.listAllDomains(active) for machine in self._machine(each)]
        except library.libvirtError as error:
            raise EngineDown(f"{self.name}: {error}") from None

    def _machine(self, domain: Any) -> Iterator[Machine]:
        """One that goes away while it is asked is not there."""
        library = libvirt()
        try:
            (state, reason), uuid = domain.state(), domain.UUIDString()
            _, _, memory_kib, cores, _ = domain.info()
            name = domain.name()
            paused = state == library.VIR_DOMAIN_PAUSED
            coming = paused and reason in (library.VIR_DOMAIN_PAUSED_MIGRATION, library.VIR_DOMAIN_PAUSED_STARTING_UP)
            why = "it is paused" if paused and not coming else ""
            quota = None if coming or why else self._quota(domain)
            if quota is None and not coming:
                why = why or "its CPU cannot be capped here"
            share = share_of(quota) if quota else 1.0
            machine = Machine(
                name, f"{name}@{uuid}", cores, memory_kib * KIB, share, coming, why, self._why_pinned(domain, uuid)
            )
        except library.libvirtError as error:
            if error.get_error_code() != library.VIR_ERR_NO_DOMAIN:
                raise
            return
        if state != library.VIR_DOMAIN_SHUTOFF:
            yield machine

    def _quota(self, domain: Any) -> CpuQuota | None:
        library = libvirt()
        try:
            parameters = domain.schedulerParametersFlags(library.VIR_DOMAIN_AFFECT_LIVE)
            return CpuQuota(parameters["vcpu_quota"], parameters["vcpu_period"])
        except KeyError:
            return None
        except library.libvirtError as error:
            if error.get_error_code() in (library.VIR_ERR_NO_SUPPORT, library.VIR_ERR_INVALID_ARG):
                return None
            raise

    def _why_pinned(self, domain: Any, uuid: str) -> str:
        """Why it cannot leave this host; looked at once."""
        if uuid not in self._devices:
            text = domain.XMLDesc(0)
            self._devices[uuid] = "it has a device of its host" if "<hostdev" in text else ""
        return self._devices[uuid]

    def domain(self, machine_id: str) -> Any:
        """Libvirt's handle of a machine.

        Raises:
            libvirt.libvirtError: it is not there.
        """
        return self.connection.lookupByUUIDString(machine_id.rpartition("@")[2])

    def close(self) -> None:
        """Let go of the connection."""
        with suppress(libvirt().libvirtError):  # it had gone before
            self.connection.close()


def opened(uri: str) -> LibvirtHost:
    """Connect to a host.

    Raises:
        InputError: that cannot be done.
        MissingExtra: the library is not installed.
    """
    library = libvirt()
    try:
        connection = _connection(uri)
        _, memory_mib, cores, *_ = connection.getInfo()
        name = connection.getHostname()
    except library.libvirtError as error:
        raise InputError(uri, f"no libvirt answers: {error}", fix="see that `virsh -c URI list` works") from None
    return LibvirtHost(uri, name or urlsplit(uri).hostname or uri, cores, memory_mib * MIB, connection)


def _connection(uri: str) -> Any:
    """Raises: libvirt.libvirtError: no answer."""
    library = libvirt()
    connection = library.open(uri)
    with suppress(library.libvirtError):  # a driver within this process needs none
        connection.setKeepAlive(KEEP_ALIVE_S, KEEP_ALIVE_TRIES)
    return connection
