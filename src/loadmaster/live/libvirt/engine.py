"""Machines of several libvirt hosts, capped and moved while they run; see `loadmaster.live.session.engine.Engine`."""

import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from loadmaster.live.libvirt.host import LibvirtHost, Machine
from loadmaster.live.libvirt.library import libvirt
from loadmaster.live.libvirt.migration import MachineMigration
from loadmaster.live.libvirt.view import (
    GuestPlace,
    GuestView,
    HostView,
    MachineInMigration,
    observation_of,
    put_together,
)
from loadmaster.live.session.cpu_quota import quota_of_share
from loadmaster.live.session.engine import Capabilities, EngineDown, Kind, Observation, Refusal, job_of
from loadmaster.live.session.lease import Lease
from loadmaster.model.actions import Action, Cap, Move

MOST_AT_ONCE = 16
Listing = Sequence[Machine] | None


class LibvirtEngine:
    """See `Engine`; machines are called NAME@UUID. It remembers where they are, and the move that is under way."""

    name = "libvirt"
    can = Capabilities(place=False, share=True, migrate="live", hold=False)

    def __init__(
        self,
        hosts: Sequence[LibvirtHost],
        *,
        leave_cores: float = 0.0,
        leave_memory: float = 0.0,
        bandwidth_mib: int = 0,
        looks_on: bool = False,
        folder: Path | None = None,
    ) -> None:
        """Args:
        hosts: connected.
        leave_cores: that each host keeps for itself; leave_memory: bytes.
        bandwidth_mib: MiB a second that a move may take; 0: as much as there is.
        looks_on: never acts, and takes no lease.
        folder: of the leases.

        Raises:
            InputError: another loadmaster looks after one of the hosts.
        """
        self._hosts, self._bandwidth_mib = list(hosts), bandwidth_mib
        self._left = [(max(0.0, host.cores - leave_cores), max(0.0, host.memory - leave_memory)) for host in hosts]
        self._migration: MachineMigration | None = None
        self._way: MachineInMigration | None = None
        self._places: dict[str, GuestPlace] = {}
        self._pool = ThreadPoolExecutor(min(MOST_AT_ONCE, len(self._hosts)))
        self._leases: list[Lease] = []
        try:
            for host in () if looks_on else self._hosts:
                self._leases.append(Lease(f"libvirt-{host.name}", folder))
        except BaseException:
            self.close()
            raise

    def observe(self) -> Observation:
        """See `Engine`; a host that does not answer is down, with what runs there. Of several, one has to answer."""
        failed, way = self._news(), self._way
        listings = list(self._pool.map(_machines, self._hosts))
        if all(listing is None for listing in listings):
            raise EngineDown("no host answers")
        view = put_together(listings, way)
        if set(self._places) - {each.machine.id for each in view.ours}:  # gone, or between two listings
            listings = list(self._pool.map(_machines, self._hosts))
            view = put_together(listings, way)
        self._places = {each.machine.id: each for each in view.ours}
        return observation_of(time.time(), self._rows(listings), view, failed)

    def act(self, action: Action) -> Refusal | None:
        """See `Engine`."""
        place = self._places.get(job_of(action))
        if place is None:
            return Refusal(action, "gone", "it does not run on any of these hosts")
        match action:
            case Cap(name, share):
                return self._cap(action, self._hosts[place.host], name, share)
            case Move(_, (to,)):
                return self._move(action, place, to)
            case _:
                return Refusal(action, "unknown", "machines can only be capped and moved")

    def close(self) -> None:
        """See `Engine`; waits for a machine that is moving. A second Ctrl-C cancels the move."""
        try:
            if self._migration is not None:
                try:
                    self._migration.wait()
                except KeyboardInterrupt:
                    self._migration.call_off()
                    self._migration.wait()
        finally:
            for lease in self._leases:
                lease.release()
            self._pool.shutdown()
            for host in self._hosts:
                host.close()

    def view(self) -> GuestView:
        """The present state, without any change.

        Raises:
            EngineDown: a host does not answer.
        """
        return put_together([host.machines() for host in self._hosts])

    def _rows(self, listings: Sequence[Listing]) -> list[HostView]:
        rows = zip(self._hosts, self._left, listings, strict=True)
        return [HostView(host.name, *left, machines) for host, left, machines in rows]

    def _news(self) -> Mapping[str, str]:
        """What has become of the move: if it is over, and why it failed."""
        migration = self._migration
        if migration is None:
            return {}
        if not migration.is_over:
            migration.look()
            return {}
        self._migration = self._way = None
        return {migration.id: migration.why_not} if migration.why_not else {}

    def _cap(self, action: Action, host: LibvirtHost, name: str, share: float) -> Refusal | None:
        library, quota = libvirt(), quota_of_share(share)
        parameters = {"vcpu_period": quota.period_us, "vcpu_quota": quota.quota_us}
        try:
            host.domain(name).setSchedulerParametersFlags(parameters, library.VIR_DOMAIN_AFFECT_LIVE)
        except library.libvirtError as error:
            return Refusal(action, _kind(error.get_error_code()), str(error))
        return None

    def _move(self, action: Action, place: GuestPlace, to: str) -> Refusal | None:
        if self._migration is not None or place.to >= 0:
            return Refusal(action, "busy", "a machine is on its way")
        row = next((row for row, host in enumerate(self._hosts) if host.name == to), None)
        if row is None or row == place.host or place.machine.why_stays:
            return Refusal(action, "unknown", place.machine.why_stays or f"{to} is none of the other hosts")
        self._way = MachineInMigration(place.machine, place.host, row)
        self._migration = MachineMigration(
            place.machine.id, self._hosts[place.host], self._hosts[row], self._bandwidth_mib
        )
        self._migration.begin()
        return None


def _machines(host: LibvirtHost) -> Listing:
    try:
        return host.machines()
    except EngineDown:
        return None


def _kind(code: int) -> Kind:
    library = libvirt()
    if code == library.VIR_ERR_NO_DOMAIN:
        return "gone"
    if code in (library.VIR_ERR_ACCESS_DENIED, library.VIR_ERR_AUTH_FAILED, library.VIR_ERR_OPERATION_DENIED):
        return "denied"
    busy = (library.VIR_ERR_OPERATION_TIMEOUT, library.VIR_ERR_OPERATION_INVALID)
    return "busy" if code in busy else "unknown"
