"""Checks hosts of libvirt: which answer, which machines may be capped and moved, which are left out and why."""

import time
from collections.abc import Iterator, Sequence

from loadmaster.live.libvirt.host import LibvirtHost
from loadmaster.live.libvirt.library import libvirt
from loadmaster.live.libvirt.view import put_together
from loadmaster.live.session.engine import EngineDown
from loadmaster.live.session.finding import Finding
from loadmaster.model.units import percent
from loadmaster.system.counted import counted

MOST_NAMED = 10
SLOW_S = 1.0


def examine(hosts: Sequence[LibvirtHost], *, moves: bool = True) -> list[Finding]:
    """Look at every host and at all of them together; nothing is changed.

    Args:
        hosts: connected.
        moves: machines are to be moved as well.
    """
    return [*(each for host in hosts for each in _one(host)), *_machines(hosts), *(_pairs(hosts) if moves else ())]


def _one(host: LibvirtHost) -> Iterator[Finding]:
    connection = host.connection
    version = connection.getLibVersion()
    numbers = f"{version // 1_000_000}.{version // 1000 % 1000}.{version % 1000}"
    what = f"{host.name}: libvirt {numbers} ({connection.getType()}), {host.cores} cores, {host.memory / 2**30:.1f} GiB"
    yield Finding("ok", what)
    try:
        began_s = time.perf_counter()
        machines = host.machines()
        took_s = time.perf_counter() - began_s
    except EngineDown as error:
        yield Finding("bad", str(error))
        return
    what = f"{host.name}: {counted(len(machines), 'machine runs', 'machines run')}, listed in {1000 * took_s:.0f} ms"
    yield Finding("ok" if took_s < SLOW_S else "note", what)
    if connection.getType().upper() not in ("QEMU", "LXC"):
        yield Finding("bad", f"{host.name}: {connection.getType()} does not cap CPUs by quota", "QEMU and KVM do")
    if "<live/>" not in connection.getCapabilities():
        yield Finding("note", f"{host.name} cannot move machines that run")


def _machines(hosts: Sequence[LibvirtHost]) -> Iterator[Finding]:
    try:
        view = put_together([host.machines() for host in hosts])
    except EngineDown:
        return  # it has been told
    memory = [0.0] * len(hosts)
    for each in view.ours:
        memory[each.host] += each.machine.memory
    for machine, row, why in view.others[:MOST_NAMED]:
        yield Finding("note", f"{machine.name} on {hosts[row].name} is left out: {why}")
    if len(view.others) > MOST_NAMED:
        yield Finding("note", f"and {len(view.others) - MOST_NAMED} more are left out")
    for each in view.ours:
        if each.machine.why_stays:
            yield Finding("note", f"{each.machine.name} stays on {hosts[each.host].name}: {each.machine.why_stays}")
        if each.machine.share < 1.0:
            what = f"{each.machine.name} has a cap of {percent(each.machine.share, 1)}, which this run never exceeds"
            yield Finding("note", what, "a cap that an earlier run has left: go on in its folder, with the same -o")
    for host, used in zip(hosts, memory, strict=True):
        if used > host.memory:
            yield Finding(
                "note",
                f"{host.name} has promised {percent(used / host.memory, 0)} of its memory: no machine moves there",
            )


def _pairs(hosts: Sequence[LibvirtHost]) -> Iterator[Finding]:
    """Whether a machine that sees all of one host's CPU could run on the others."""
    library = libvirt()
    if len(hosts) == 1:
        yield Finding("note", "one host: nothing can be moved")
    for source in hosts:
        text = source.connection.getCapabilities()
        cpu = text[text.index("<cpu>") : text.index("</cpu>") + len("</cpu>")] if "<cpu>" in text else ""
        for other in hosts:
            if other is source:
                continue
            try:
                alike = other.connection.compareCPU(cpu) >= library.VIR_CPU_COMPARE_IDENTICAL
            except library.libvirtError as error:
                yield Finding("note", f"{source.name} to {other.name}: the CPUs cannot be compared: {error}")
                continue
            if not alike:
                what = f"{other.name} lacks something of {source.name}'s CPU: machines that use it cannot move there"
                yield Finding("note", what, "give machines a CPU model that all hosts have")
