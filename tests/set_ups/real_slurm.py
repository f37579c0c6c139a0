"""A real Slurm for the tests alone: one machine as many hosts, accounts in a database, on loopback, gone at the end."""

import getpass
import os
import re
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from left_behind import end_sessions_of

from loadmaster.live.session.termination import as_ctrl_c
from loadmaster.live.slurm.hook import heartbeat_path, hook_text

PATIENCE_S = 60.0
BACKUP = "ctl2"
"""A second controller for sites whose settings have the line `SlurmctldHost=ctl2(127.0.0.2)`; see `RealSlurm.start`."""
PROGRAMS = (
    "slurmctld", "slurmd", "slurmdbd", "sacct", "sacctmgr", "sbatch", "munged", "mariadbd",
    "mariadb-install-db", "mariadb",
)  # fmt: skip
PACKAGES = "slurmctld slurmd slurmdbd slurm-client slurm-wlm-basic-plugins slurm-wlm-mysql-plugin munge mariadb-server"
"""Of Debian 12; `.ci/run` installs them."""

HELD = """\
SchedulerType=sched/backfill
SchedulerParameters=bf_interval=1,sched_interval=1,batch_sched_delay=0,sched_min_interval=0
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
JobSubmitPlugins=lua
KillWait=2
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""
"""Settings of a site whose jobs are held at submission, by a hook."""


def why_not() -> str:
    """Why no Slurm can be started here; empty if one can."""
    missing = [name for name in PROGRAMS if _program(name) is None]
    if missing:
        return f"no Slurm here: {', '.join(missing)} not found; Debian has them in {PACKAGES}"
    if os.geteuid() != 0:
        return "slurmd starts jobs as root only"
    return ""


@dataclass(frozen=True)
class RealSlurm:
    """A running one: its folder, which holds `slurm.conf`."""

    folder: Path
    running: "list[subprocess.Popen[bytes]]"

    @property
    def conf(self) -> Path:
        """Its configuration."""
        return self.folder / "slurm.conf"

    def run(self, *command: str, text: str | None = None) -> str:
        """What a command of Slurm prints; times as seconds since 1970."""
        done = self.tried(*command, text=text)
        assert done.returncode == 0, f"{' '.join(command)}: {done.stderr or done.stdout}"
        return done.stdout

    def tried(self, *command: str, text: str | None = None, user: str = "") -> "subprocess.CompletedProcess[str]":
        """A command of Slurm that may fail, as this user or as another of the machine."""
        other = ["runuser", "-u", user, "--"] if user else []
        return subprocess.run(
            [*other, _program(command[0]) or command[0], *command[1:]],
            input=text,
            env=_environment(self.folder),
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )

    def kill(self, name: str) -> None:
        """End a daemon at once, as a crash would; `slurmctld`, or `n2` for the daemon of a host."""
        for process in list(self.running):
            words = [str(word) for word in process.args]  # type: ignore[union-attr]
            if Path(words[0]).name == name or words[2:4] == ["-N", name]:
                process.kill()
                process.wait()
                self.running.remove(process)

    def start(self, name: str) -> None:
        """Start a daemon once more, or `BACKUP`: a machine by its own name, with a folder of its own for its number."""
        if name == BACKUP:
            (self.folder / "hosts").write_text(f"127.0.0.1 localhost {socket.gethostname()}\n127.0.0.2 {BACKUP}\n")
            own = f"hostname {BACKUP}; mount --bind hosts /etc/hosts; mount -t tmpfs none run"
            words = ["--uts", "--mount", "sh", "-c", f"{own}; exec {_program('slurmctld')} -D -f {self.conf}"]
            self.running.append(_start(self.folder, "unshare", *words))
            return
        words = ["slurmctld", "-D"] if name == "slurmctld" else ["slurmd", "-D", "-N", name]
        self.running.append(_start(self.folder, *words, "-f", str(self.conf)))


@contextmanager
def held_slurm(hosts: Sequence[str], settings: str = "", fail_open_s: float = 600.0) -> Iterator[RealSlurm]:
    """One whose jobs our hook holds at submission while there is a heartbeat in its folder `lm`; see `real_slurm`."""

    def hook(folder: Path) -> str:
        return hook_text(heartbeat_path("lm", folder / "lm"), fail_open_s, 64030, ())

    with real_slurm(hosts, HELD + settings, hook=hook) as slurm:
        yield slurm


@contextmanager
def real_slurm(
    hosts: Sequence[str], settings: str, accounts: Sequence[str] = (), hook: Callable[[Path], str] | None = None
) -> Iterator[RealSlurm]:
    """Start one.

    Args:
        hosts: what each host has, such as `CPUs=8 RealMemory=16000`; they are called n1, n2, ...
        settings: further lines of `slurm.conf`, partitions among them.
        accounts: commands of `sacctmgr` that come before the scheduler starts, such as `add account phys fairshare=5`.
        hook: the text of `job_submit.lua`, given the folder; the settings name the plugin.
    """
    folder = Path(tempfile.mkdtemp(prefix="slurm-"))
    folder.chmod(0o755)  # the database runs as a user of its own, below this folder
    running: list[subprocess.Popen[bytes]] = []
    slurm = RealSlurm(folder, running)
    with as_ctrl_c(), _gone_at_the_end(folder, running):
        _write(folder, hosts, settings)
        if hook is not None:
            (folder / "job_submit.lua").write_text(hook(folder))
        running.append(_munge(folder))
        running.append(_database(folder))
        running.append(_start(folder, "slurmdbd", "-D"))
        _until(lambda: slurm.run("sacctmgr", "-n", "show", "cluster") is not None, running)
        for command in ("add cluster lm", *accounts):
            slurm.run("sacctmgr", "-i", *command.split())
        running.append(_start(folder, "slurmctld", "-D", "-f", str(slurm.conf)))
        for k in range(len(hosts)):
            running.append(_start(folder, "slurmd", "-D", "-N", f"n{k + 1}", "-f", str(slurm.conf)))
        _until(lambda: slurm.run("sinfo", "-h", "-N", "-t", "idle", "-o", "%N").split() != [], running)
        _until(
            lambda: len(set(slurm.run("sinfo", "-h", "-N", "-t", "idle", "-o", "%N").split())) == len(hosts), running
        )
        yield slurm


@contextmanager
def _gone_at_the_end(folder: Path, running: "list[subprocess.Popen[bytes]]") -> Iterator[None]:
    """End the daemons, then the jobs: those outlive the daemon of their host, and try to tell it their end for ever."""
    try:
        yield
    finally:
        for process in reversed(running):
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.wait(timeout=10.0)
            process.kill()
            process.wait()
        end_sessions_of("slurmstepd", folder)
        shutil.rmtree(folder, ignore_errors=True)
        shutil.rmtree(folder, ignore_errors=True)


def _write(folder: Path, hosts: Sequence[str], settings: str) -> None:
    for name in ("state", "log", "run", "munge", "db"):
        (folder / name).mkdir()
    (folder / "munge").chmod(0o711)  # whoever asks must reach the socket; the key is our own
    (folder / "munge" / "key").write_bytes(os.urandom(128))
    (folder / "munge" / "key").chmod(0o400)
    machine, ports, user = socket.gethostname(), _free_ports(len(hosts) + 2), getpass.getuser()
    nodes = [
        f"NodeName=n{k} NodeHostname={machine} NodeAddr=127.0.0.1 Port={port} {has}"
        for k, (has, port) in enumerate(zip(hosts, ports[2:], strict=True), start=1)
    ]
    conf = _CONF.format(
        machine=machine,
        user=user,
        folder=folder,
        control=ports[0],
        database=ports[1],
        nodes="\n".join(nodes),
        more=settings,
    )
    (folder / "slurm.conf").write_text(conf)
    (folder / "gres.conf").write_text("\n".join(filter(None, map(_gpus, [folder] * len(hosts), range(1, 999), hosts))))
    dbd = folder / "slurmdbd.conf"
    dbd.write_text(_DATABASE.format(user=user, folder=folder, port=ports[1]))
    dbd.chmod(0o600)


def _gpus(folder: Path, host: int, has: str) -> str:
    """The line of gres.conf for a host with `Gres=gpu:TYPE:NUMBER`, with empty files as devices; "" for another."""
    found = re.search(r"Gres=gpu:([\w.]+):(\d+)", has)
    if found is None:
        return ""
    for device in range(int(found[2])):
        (folder / f"gpu{host}-{device}").touch()
    return f"NodeName=n{host} Name=gpu Type={found[1]} File={folder}/gpu{host}-[0-{int(found[2]) - 1}]"


_CONF = """\
ClusterName=lm
SlurmctldHost={machine}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket,cred_expire=5
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
SlurmctldPort={control}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/run/slurmctld.pid
SlurmdPidFile={folder}/run/slurmd-%n.pid
SlurmctldLogFile={folder}/log/slurmctld.log
SlurmdLogFile={folder}/log/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SwitchType=switch/none
SlurmdParameters=config_overrides
ReturnToService=2
PropagateResourceLimits=NONE
DebugFlags=NO_CONF_HASH
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=localhost
AccountingStoragePort={database}
AccountingStoragePass={folder}/munge/socket
{nodes}
{more}
"""
_DATABASE = """\
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
DbdHost=localhost
DbdPort={port}
SlurmUser={user}
LogFile={folder}/log/slurmdbd.log
PidFile={folder}/run/slurmdbd.pid
StorageType=accounting_storage/mysql
StorageHost=localhost
StorageUser=slurm
StoragePass=x
StorageLoc=slurm_acct_db
"""


def _munge(folder: Path) -> "subprocess.Popen[bytes]":
    return _start(
        folder,
        "munged",
        "--force",
        "--foreground",
        f"--socket={folder}/munge/socket",
        f"--key-file={folder}/munge/key",
        f"--pid-file={folder}/run/munged.pid",
        f"--log-file={folder}/log/munged.log",
        f"--seed-file={folder}/munge/seed",
    )


def _database(folder: Path) -> "subprocess.Popen[bytes]":
    """MariaDB on a socket alone, with what slurmdbd requests."""
    user = "mysql" if os.geteuid() == 0 else getpass.getuser()
    shutil.chown(folder / "db", user)
    own = ["--no-defaults", f"--user={user}", f"--datadir={folder}/db"]
    first = ["mariadb-install-db", *own, "--auth-root-authentication-method=socket", "--skip-test-db"]
    subprocess.run([_program(first[0]) or "", *first[1:]], check=True, capture_output=True, timeout=PATIENCE_S)
    running = _start(
        folder,
        "mariadbd",
        *own,
        f"--socket={folder}/db/socket",
        "--skip-networking",
        "--innodb-buffer-pool-size=64M",
        "--innodb-flush-log-at-trx-commit=0",
    )
    ask = [_program("mariadb") or "", "--no-defaults", "-S", str(folder / "db" / "socket"), "-e"]
    _until(lambda: subprocess.run([*ask, "select 1"], capture_output=True, check=False).returncode == 0, [running])
    grant = "create database slurm_acct_db; create user slurm@localhost identified by 'x'; "
    subprocess.run([*ask, grant + "grant all on slurm_acct_db.* to slurm@localhost"], check=True, timeout=PATIENCE_S)
    return running


def _start(folder: Path, name: str, *arguments: str) -> "subprocess.Popen[bytes]":
    with (folder / "log" / f"{name}.out").open("ab") as log:
        return subprocess.Popen(
            [_program(name) or name, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd=folder,
            env=_environment(folder),
        )


def _until(ready, running: "list[subprocess.Popen[bytes]]") -> None:  # type: ignore[no-untyped-def]
    until = time.monotonic() + PATIENCE_S
    while True:
        with suppress(AssertionError):
            if ready():
                return
        ended = [process.args for process in running if process.poll() is not None]
        assert not ended, f"ended at once: {ended}"
        assert time.monotonic() < until, "no answer"
        time.sleep(0.1)


def _environment(folder: Path) -> dict[str, str]:
    return {
        **os.environ,
        "SLURM_CONF": str(folder / "slurm.conf"),
        "MYSQL_UNIX_PORT": str(folder / "db" / "socket"),
        "SLURM_TIME_FORMAT": "%s",
        "LC_ALL": "C",
    }


def _program(name: str) -> str | None:
    return shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin:/usr/bin")


def _free_ports(count: int) -> list[int]:
    """Ports of loopback that nobody listens on now."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]
    finally:
        for each in sockets:
            each.close()
