"""Control groups: how much CPU the processes in one may have, and have had; version 1 and version 2."""

import contextlib
import os
import signal
import time
from abc import ABC, abstractmethod
from pathlib import Path

from loadmaster.live.session.cpu_quota import NO_QUOTA, NO_QUOTA_US, CpuQuota, quota_of
from loadmaster.model.errors import InputError

MOUNTS = Path("/proc/self/mounts")
OWN = Path("/proc/self/cgroup")
_V2 = "cgroup.controllers"


class ControlGroup(ABC):
    """A control group of ours: processes in it share what it may have. To be made by `make_group`."""

    def __init__(self, path: Path, *, again: bool = False) -> None:
        self.path = path
        path.mkdir(exist_ok=again)

    @abstractmethod
    def within(self, name: str) -> "ControlGroup":
        """A group inside this one, which may have no process itself then; made if it is not there."""

    def cap(self, cores: float | None) -> None:
        """Let all processes together have at most so many cores from now on, more than 0; None: as many as there are.

        A cap that it has already is not written again: with every write the kernel begins a new period, and what was
        left of the old one is lost or given twice.

        Raises:
            OSError: the kernel does not take it: a group above has less.
        """
        limit = NO_QUOTA if cores is None else quota_of(cores)
        if limit != self.limit():
            self._write_limit(limit)

    @abstractmethod
    def limit(self) -> CpuQuota | None:
        """What it may have; None where that is unknown."""

    @abstractmethod
    def _write_limit(self, limit: CpuQuota) -> None: ...

    @abstractmethod
    def favour(self) -> None:
        """Let it come before all that is not in a group like it, up to its cap."""

    @abstractmethod
    def used_s(self) -> float:
        """CPU seconds that its processes have had, those that have ended included."""

    @abstractmethod
    def process_files(self) -> list[Path]:
        """The files into which a process writes 0 to come in."""

    def inner(self) -> list[str]:
        """The names of the groups inside."""
        return sorted({each.name for file in self.process_files() for each in file.parent.iterdir() if each.is_dir()})

    def holds(self, name: str) -> bool:
        """Whether a group of that name is inside."""
        return any((file.parent / name).is_dir() for file in self.process_files())

    def add(self, process: int) -> None:
        """Put a process into it, with all its threads."""
        for file in self.process_files():
            file.write_text(str(process), encoding="ascii")

    def processes(self) -> list[int]:
        """The processes in it."""
        return [int(line) for line in (self.path / "cgroup.procs").read_text().split()]

    def remove(self, patience_s: float = 5.0) -> None:
        """End what is in it, and take it away.

        Raises:
            OSError: a process in it does not end.
        """
        until = time.monotonic() + patience_s
        while True:
            for process in self.processes():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
            try:
                self._take_away()
                return
            except OSError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.01)

    def remove_all(self) -> None:
        """Take it away with all groups inside; what runs in them is ended."""
        for name in self.inner():
            self.within(name).remove_all()
        self.remove()

    def _take_away(self) -> None:
        for file in self.process_files():
            with contextlib.suppress(FileNotFoundError):
                file.parent.rmdir()

    def _read(self, name: str) -> str:
        place = self.path / name
        return place.read_text(encoding="ascii") if place.exists() else ""

    def _write(self, name: str, text: str) -> None:
        (self.path / name).write_text(text, encoding="ascii")


class _Version2(ControlGroup):
    def within(self, name: str) -> ControlGroup:
        self._write("cgroup.subtree_control", "+cpu")
        return _Version2(self.path / name, again=True)

    def process_files(self) -> list[Path]:
        return [self.path / "cgroup.procs"]

    def limit(self) -> CpuQuota | None:
        words = self._read("cpu.max").replace("max", str(NO_QUOTA_US)).split()
        return CpuQuota(*map(int, words)) if len(words) == 2 else None

    def _write_limit(self, limit: CpuQuota) -> None:
        self._write("cpu.max", f"{'max' if limit.quota_us < 0 else limit.quota_us} {limit.period_us}")

    def favour(self) -> None:
        self._write("cpu.weight", "10000")

    def used_s(self) -> float:
        words = (self.path / "cpu.stat").read_text().split()
        return int(words[words.index("usage_usec") + 1]) / 1e6


class _Version1(ControlGroup):
    """CPU caps and CPU accounts may be two hierarchies: a process is put into both."""

    def __init__(self, path: Path, account: Path, *, again: bool = False) -> None:
        super().__init__(path, again=again)
        self.account = account
        if account != path:
            account.mkdir(exist_ok=again)

    def within(self, name: str) -> ControlGroup:
        return _Version1(self.path / name, self.account / name, again=True)

    def process_files(self) -> list[Path]:
        return [place / "cgroup.procs" for place in dict.fromkeys((self.path, self.account))]

    def limit(self) -> CpuQuota | None:
        quota, period = self._read("cpu.cfs_quota_us"), self._read("cpu.cfs_period_us")
        return CpuQuota(int(quota), int(period)) if quota and period else None

    def _write_limit(self, limit: CpuQuota) -> None:
        """Two files, neither of which may request more than the group above has: the smaller part is written first."""
        texts = [("cpu.cfs_period_us", str(limit.period_us)), ("cpu.cfs_quota_us", str(limit.quota_us))]
        for name, text in texts if limit.period_us >= self._period() else reversed(texts):
            self._write(name, text)

    def _period(self) -> int:
        return int(self._read("cpu.cfs_period_us") or 0)

    def favour(self) -> None:
        self._write("cpu.shares", "262144")

    def used_s(self) -> float:
        return int((self.account / "cpuacct.usage").read_text()) / 1e9


def why_not() -> str:
    """Why no control groups can be made here; empty if they can."""
    try:
        folder = _folders()
        probe = make_group(f"loadmaster-probe-{os.getpid()}")
        probe.remove()
    except (OSError, InputError) as error:
        return str(error)
    return "" if folder else "no control groups here"


def make_group(name: str, *, again: bool = False) -> ControlGroup:
    """A group of that name below the one that this process may use; `again` takes one that is there.

    Raises:
        InputError: this machine shares out no CPU by control groups, or we may not.
    """
    if not name or "/" in name or name.startswith("."):
        raise InputError(name, "no name for a control group", fix="use letters, digits and -")
    version, cpu, account = _folders()
    try:
        if version == 2:
            return _Version2(cpu / name, again=again)
        return _Version1(cpu / name, account / name, again=again)
    except FileExistsError:
        raise InputError(cpu / name, "this control group is there already", fix="end the other run first") from None
    except OSError as error:
        fix = "run as root, or in a unit of systemd with Delegate=cpu"
        raise InputError(cpu / name, f"no control group can be made: {error.strerror}", fix=fix) from None


def groups_named(prefix: str) -> list[str]:
    """The groups that are there, below the one that this process may use, with names that begin so.

    Raises:
        InputError: this machine shares out no CPU by control groups.
    """
    _, cpu, account = _folders()
    return sorted({each.name for folder in (cpu, account) for each in folder.glob(f"{prefix}*") if each.is_dir()})


def _folders() -> tuple[int, Path, Path]:
    """The version, and the folders below which groups for CPU and for its accounts can be made."""
    mounts = [line.split() for line in MOUNTS.read_text(encoding="utf-8").splitlines()]
    first: dict[str, Path] = {}
    for _, place, kind, words, *_ in mounts:
        if kind == "cgroup":
            for word in words.split(","):
                first.setdefault(word, Path(place))
    if "cpu" in first and "cpuacct" in first:
        return 1, first["cpu"], first["cpuacct"]
    for _, place, kind, *_ in mounts:
        if kind == "cgroup2":
            return 2, *_delegated(Path(place))
    raise InputError(
        str(MOUNTS), "no control groups for CPU are mounted here", fix="mount cgroup2 with the controller cpu"
    )


def _delegated(top: Path) -> tuple[Path, Path]:
    """Of version 2, the nearest group above us, ours to write, whose children have `cpu`, and that holds no process.

    Where there is none but the group in which we are was handed to us (systemd's `Delegate=cpu`), all that is in it
    goes into a group inside, as version 2 wants it.
    """
    own = next(line for line in OWN.read_text().splitlines() if line.startswith("0::"))
    place = top / own[3:].lstrip("/")
    for folder in (place, *place.parents):
        if top not in (folder, *folder.parents):
            break
        if not os.access(folder, os.W_OK):
            continue
        if "cpu" in (folder / "cgroup.subtree_control").read_text().split():
            return folder, folder
        if "cpu" in (folder / _V2).read_text().split() and (folder == top or not _holds_processes(folder)):
            with contextlib.suppress(OSError):
                return _hands_out(folder)
    if place != top and os.access(place, os.W_OK) and "cpu" in (place / _V2).read_text().split():
        with contextlib.suppress(OSError):
            _step_inside(place)
            return _hands_out(place)
    raise InputError(place, "no control group above us hands out CPU", fix="run in a unit of systemd with Delegate=cpu")


def _hands_out(folder: Path) -> tuple[Path, Path]:
    (folder / "cgroup.subtree_control").write_text("+cpu")
    return folder, folder


def _step_inside(folder: Path) -> None:
    inside = folder / "loadmaster-own"
    inside.mkdir(exist_ok=True)
    for process in (folder / "cgroup.procs").read_text().split():
        with contextlib.suppress(ProcessLookupError):
            (inside / "cgroup.procs").write_text(process)


def _holds_processes(folder: Path) -> bool:
    return bool((folder / "cgroup.procs").read_text().strip())
