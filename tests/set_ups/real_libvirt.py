"""Two real libvirt hosts on this box for the tests alone: a libvirtd each, QEMU without KVM, guests that only compute.

Run as a program it starts two hosts, with so many machines on the first, and stays until Ctrl-C:
`python tests/set_ups/real_libvirt.py 3`.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loadmaster.live.session.termination import as_ctrl_c

PATIENCE_S = 120.0
HOME = Path(os.environ.get("LOADMASTER_LIBVIRT") or Path.home() / ".cache" / "loadmaster-libvirt")
PROGRAMS = ("libvirtd", "qemu-system-x86_64", "unshare")
NAMES = ("alpha", "beta")


def why_not() -> str:
    """Why no libvirt hosts can be started here; empty if they can."""
    missing = [name for name in PROGRAMS if _program(name) is None]
    missing += [str(HOME / name) for name in ("vmlinuz", "initrd.gz") if not (HOME / name).exists()]
    if missing:
        return f"no libvirt hosts here: {', '.join(missing)} not found; tools/libvirt-for-tests.sh gets them"
    try:
        import libvirt  # noqa: F401
    except ImportError:
        return "no libvirt hosts here: libvirt-python is not installed"
    return "" if os.geteuid() == 0 else "libvirtd gives machines their groups as root only"


@dataclass(frozen=True)
class RealHost:
    """A running one, and a connection to it."""

    folder: Path
    name: str
    process: "subprocess.Popen[bytes]"
    connection: Any

    @property
    def uri(self) -> str:
        """As virsh takes it."""
        return uri_of(self.folder)

    def start(self, name: str, memory_mib: int = 96) -> Any:
        """Start a machine; it computes some seconds later."""
        text = _DOMAIN.format(
            name=name,
            memory=memory_mib,
            home=HOME,
            qemu=_program("qemu-system-x86_64"),
            serial=self.folder / f"{name}.serial",
        )
        return self.connection.createXML(text, 0)

    def machines(self) -> list[str]:
        """The names of those that run."""
        return sorted(each.name() for each in self.connection.listAllDomains())

    def used(self, name: str, seconds: float = 2.0) -> float:
        """The cores that a machine uses."""
        domain = self.connection.lookupByName(name)
        before_s, began_s = domain.info()[4] / 1e9, time.monotonic()
        time.sleep(seconds)
        return float((domain.info()[4] / 1e9 - before_s) / (time.monotonic() - began_s))


def uri_of(folder: Path) -> str:
    """Where the daemon of a host listens."""
    return f"qemu+unix:///system?socket={folder}/run/libvirt-sock"


@contextmanager
def real_hosts() -> Iterator[tuple[RealHost, RealHost]]:
    """Start two; machines that run on them at the end are gone."""
    top = Path(tempfile.mkdtemp(prefix="libvirt-"))
    hosts: list[RealHost] = []
    running: list[subprocess.Popen[bytes]] = []
    with as_ctrl_c(), _gone_at_the_end(top, hosts, running):
        for k, name in enumerate(NAMES):
            running.append(_start(top / name, name, k))
        for name, process in zip(NAMES, running, strict=True):
            _until(lambda name=name: (top / name / "run" / "libvirt-sock").exists(), process, top / name)
            hosts.append(RealHost(top / name, name, process, _connected(top / name)))
        yield hosts[0], hosts[1]


@contextmanager
def _gone_at_the_end(top: Path, hosts: list[RealHost], running: "list[subprocess.Popen[bytes]]") -> Iterator[None]:
    """End the machines, which outlive the daemon of their host, then the daemons."""
    try:
        yield
    finally:
        for host in hosts:
            with suppress(Exception):
                for each in host.connection.listAllDomains():
                    each.destroy()
                host.connection.close()
        for process in running:
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.wait(timeout=10.0)
            process.kill()
            process.wait()
        shutil.rmtree(top, ignore_errors=True)


def _start(folder: Path, name: str, number: int) -> "subprocess.Popen[bytes]":
    """A libvirtd that takes the folders under `folder` for those of a machine of its own."""
    for part in ("etc", "lib", "run", "log", "cache"):
        (folder / part).mkdir(parents=True)
    (folder / "etc" / "libvirtd.conf").write_text(
        f'listen_tls = 0\nauth_unix_rw = "none"\nhost_uuid = "{uuid.uuid4()}"\n'
        f'log_outputs = "3:file:{folder}/log/libvirtd.log"\n'
    )
    (folder / "etc" / "qemu.conf").write_text(
        'security_driver = "none"\nuser = "root"\ngroup = "root"\nstdio_handler = "file"\nnamespaces = [ ]\n'
        f'cgroup_controllers = [ "cpu", "cpuacct" ]\nmigration_host = "127.0.0.{number + 2}"\n'
        f'migration_address = "127.0.0.{number + 2}"\nmigration_port_min = {49152 + 64 * number}\n'
        f"migration_port_max = {49215 + 64 * number}\n"
    )
    places = {
        "etc": "/etc/libvirt",
        "lib": "/var/lib/libvirt",
        "run": "/run/libvirt",
        "log": "/var/log/libvirt",
        "cache": "/var/cache/libvirt",
    }
    script = ["set -e", "mount --make-rprivate /"]
    script += [f"mkdir -p {there}; mount --bind {folder / part} {there}" for part, there in places.items()]
    script += [f"hostname {name}", f"exec libvirtd -f {folder}/etc/libvirtd.conf -p {folder}/libvirtd.pid"]
    with (folder / "log" / "out.txt").open("wb") as log:
        return subprocess.Popen(
            [_program("unshare") or "", "-m", "-u", "sh", "-c", "\n".join(script)],
            stdout=log,
            stderr=log,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            env=os.environ | {"PATH": _PATH},
        )


def _connected(folder: Path) -> Any:
    import libvirt

    return libvirt.open(uri_of(folder))


def computes(host: RealHost, name: str) -> None:
    """Wait until a machine that was started computes."""
    serial = host.folder / f"{name}.serial"
    _until(lambda: serial.exists() and "ROUND" in serial.read_text(), host.process, host.folder)


def _until(holds: Callable[[], bool], process: "subprocess.Popen[bytes]", folder: Path) -> None:
    end = time.monotonic() + PATIENCE_S
    while not holds():
        logs = "".join(each.read_text()[-1500:] for each in sorted((folder / "log").glob("*.*")))
        assert process.poll() is None, f"libvirtd has ended: {logs}"
        assert time.monotonic() < end, f"not within {PATIENCE_S:g} s: {logs}"
        time.sleep(0.1)


_PATH = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin:/usr/bin"
_DOMAIN = """<domain type='qemu'><name>{name}</name><memory unit='MiB'>{memory}</memory><vcpu>1</vcpu>
<os><type arch='x86_64' machine='q35'>hvm</type><kernel>{home}/vmlinuz</kernel><initrd>{home}/initrd.gz</initrd>
<cmdline>console=ttyS0 panic=-1 quiet</cmdline></os>
<features><acpi/></features><cpu mode='custom' match='exact'><model fallback='allow'>qemu64</model></cpu>
<devices><emulator>{qemu}</emulator><serial type='file'><source path='{serial}' append='on'/></serial>
<memballoon model='none'/></devices></domain>"""


def _program(name: str) -> str | None:
    return shutil.which(name, path=_PATH)


def main() -> None:
    """Start two hosts, with so many machines on the first."""
    if why_not():
        sys.exit(why_not())
    with real_hosts() as (alpha, beta):
        for number in range(int((sys.argv[1:] or ["2"])[0])):
            alpha.start(f"vm{number + 1}")
        print(f"export A='{alpha.uri}' B='{beta.uri}'  # Ctrl-C ends it", flush=True)
        with suppress(KeyboardInterrupt):
            threading.Event().wait()


if __name__ == "__main__":
    main()
