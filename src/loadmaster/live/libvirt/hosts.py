"""The hosts of a run: each connected, each once, each under a name of its own."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from loadmaster.live.libvirt.host import LibvirtHost, opened
from loadmaster.live.libvirt.library import libvirt
from loadmaster.model.errors import InputError


def connect(uris: Sequence[str]) -> list[LibvirtHost]:
    """Connect to all of them.

    Raises:
        InputError: one does not answer, or two are the same.
        MissingExtra: the library is not installed.
    """
    hosts: list[LibvirtHost] = []
    try:
        for uri in uris:
            hosts.append(opened(uri))
        _refuse_twins(hosts)
    except BaseException:
        for host in hosts:
            host.close()
        raise
    often = Counter(host.name for host in hosts)
    for host in hosts:
        host.name = host.name if often[host.name] == 1 else host.uri
    return hosts


@contextmanager
def closed(hosts: list[LibvirtHost]) -> Iterator[list[LibvirtHost]]:
    """The hosts, and no connection to them afterwards."""
    try:
        yield hosts
    finally:
        for host in hosts:
            host.close()


def _refuse_twins(hosts: Sequence[LibvirtHost]) -> None:
    """By the UUID of the machine that each is, where it has one."""
    host_by_uuid: dict[str, str] = {}
    for host in hosts:
        name = host_uuid(host) or host.uri
        if name in host_by_uuid:
            raise InputError(host.uri, f"this is the same host as {host_by_uuid[name]}", fix="name each host once")
        host_by_uuid[name] = host.uri


def host_uuid(host: LibvirtHost) -> str:
    """Of the machine; empty where it has none."""
    try:
        match = re.search(r"<host>\s*<uuid>([^<]+)</uuid>", host.connection.getCapabilities())
    except libvirt().libvirtError:
        return ""
    return match.group(1) if match else ""
