"""How much of the CPU each machine has: equal parts of what they ask for on each host (rule K2)."""

from collections.abc import Mapping

from loadmaster.live.guests.snapshot import GuestSnapshot

NEAR = 1e-3
"""A cap that is no further off than this is as it should be: hypervisors count in whole microseconds."""
LEAST = 1e-3
"""No machine is given less of what it asks for."""


def wanted_shares(snapshot: GuestSnapshot) -> dict[str, float]:
    """The share of every machine that is not on its way: min(1, cores of its host / cores asked there).

    One on its way is counted on both hosts, so that neither promises more than it has.
    """
    demand = dict.fromkeys(snapshot.hosts, 0.0)
    for guest in snapshot.guests.values():
        demand[guest.host] += guest.cores
        if guest.to:
            demand[guest.to] += guest.cores
    part = {
        name: min(1.0, host.cores / demand[name]) if demand[name] > 0 else 1.0 for name, host in snapshot.hosts.items()
    }
    return {name: max(LEAST, part[guest.host]) for name, guest in snapshot.guests.items() if not guest.to}


def far_off(snapshot: GuestSnapshot, wanted: Mapping[str, float]) -> dict[str, float]:
    """Those of `wanted` that are not so yet."""
    return {name: share for name, share in wanted.items() if abs(snapshot.guests[name].share - share) > NEAR}
