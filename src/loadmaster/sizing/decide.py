"""The one function that simulator and real runner drive: a sizer's decision, made safe."""

import dataclasses

from loadmaster.sizing.snapshot import Actions, BagSnapshot, Rental, Sizer


def decide(snapshot: BagSnapshot, sizer: Sizer) -> Actions:
    """What to do now; pure: same snapshot, same sizer, same actions.

    Two rules stand above every sizer. Tasks that wait get at least one machine, and no type is rented beyond its
    limit.

    Differs from the paper: the first rule is not in Silva et al. 2008, whose bag would wait for ever if every machine
    had reached its time.
    """
    actions = sizer.decide(snapshot)
    rent = _within_limits(snapshot, actions)
    alive = len(snapshot.hosts) - len(actions.release)
    waiting = snapshot.unstarted + sum(1 for h in snapshot.hosts if h.task >= 0 and h.host in actions.release)
    if waiting > 0 and alive <= 0 and not any(r.number for r in rent):
        rent = (Rental(0, 1),)
    return dataclasses.replace(actions, rent=rent)


def _within_limits(snapshot: BagSnapshot, actions: Actions) -> tuple[Rental, ...]:
    left = [kind.limit for kind in snapshot.types]
    for host in snapshot.hosts:
        left[host.type] -= host.host not in actions.release
    granted = []
    for kind, count in actions.rent:
        allowed = max(0, min(count, left[kind]))
        left[kind] -= allowed
        if allowed:
            granted.append(Rental(kind, allowed))
    return tuple(granted)
