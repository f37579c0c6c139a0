"""Everything dies, again and again: the loop, Slurm's controller, hosts; then every job is looked for."""

import random
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import real_slurm
import site_of_jobs as site
from real_slurm import RealSlurm

PATIENCE_S = 600.0
HOSTS = 6


@dataclass
class Deaths:
    """A Slurm whose jobs the loop places, and what kills what.

    Attributes:
        slurm: whose hook holds jobs.
        folder: of the record and the logs.
        draws: of all that is random.
    """

    slurm: RealSlurm
    folder: Path
    draws: random.Random
    loop: "subprocess.Popen[bytes] | None" = None
    done: Counter[str] = field(default_factory=Counter)

    def start_loop(self) -> None:
        """Begin, or begin again, and wait until it is at work."""
        before = self._sessions()
        words = ("slurm", "--interval", "1s", "--conf", str(self.slurm.conf), "--state", str(self.slurm.folder / "lm"))
        self.loop = site.live(*words, "-o", "killed", log=self.folder / "loop.log", folder=self.folder)
        until = time.monotonic() + PATIENCE_S
        while self._sessions() == before:
            assert self.loop.poll() is None, (self.folder / "loop.log").read_text()[-2000:]
            assert time.monotonic() < until, "the loop does not begin"
            time.sleep(0.1)

    def kill_loop(self) -> None:
        """Signal 9, at a random moment of its work."""
        assert self.loop is not None
        time.sleep(self.draws.uniform(0.0, 3.0))
        self.loop.kill()
        self.loop.wait()
        self.start_loop()
        self.done["loop killed"] += 1

    def kill_controller(self) -> None:
        """Signal 9 for slurmctld, which comes back two seconds later."""
        time.sleep(self.draws.uniform(0.0, 4.0))
        self.slurm.kill("slurmctld")
        time.sleep(2.0)
        self.slurm.start("slurmctld")
        self._answered()
        self.done["controller killed"] += 1

    def trouble_a_host(self) -> None:
        """One is drained, or dies; it comes back some seconds later."""
        time.sleep(self.draws.uniform(0.0, 2.0))
        host, dies = f"n{self.draws.randint(1, HOSTS)}", self.draws.random() < 0.5
        if dies:
            self.slurm.kill(host)
        self._update(host, "down" if dies else "drain")
        time.sleep(self.draws.uniform(2.0, 5.0))
        if dies:
            self.slurm.start(host)
            time.sleep(1.0)
        with suppress(AssertionError):  # a host whose daemon came back may be up by itself
            self._update(host, "resume")
        self.done["host died" if dies else "host drained"] += 1

    def stop_loop(self) -> int:
        """Ctrl-C; its exit code."""
        assert self.loop is not None
        self.loop.send_signal(signal.SIGINT)
        return self.loop.wait(timeout=PATIENCE_S)

    def _sessions(self) -> int:
        path = self.folder / "killed" / "live.jsonl"
        return path.read_text().count('"begin"') if path.exists() else 0

    def _update(self, host: str, state: str) -> None:
        reason = [] if state == "resume" else ["reason=test"]
        self.slurm.run("scontrol", "update", f"nodename={host}", f"state={state}", *reason)

    def _answered(self) -> None:
        until = time.monotonic() + 60.0
        while time.monotonic() < until:
            try:
                self.slurm.run("squeue", "-h")
            except (AssertionError, subprocess.TimeoutExpired):
                time.sleep(0.2)
            else:
                return


def measure(folder: Path, loops: int, controllers: int, hosts: int, seed: int = 1) -> dict[str, object]:
    """Kill so many of each while jobs come; what became of the jobs."""
    folder.mkdir(parents=True, exist_ok=True)
    started = folder / "started.txt"
    started.write_text("")
    work = site.made_jobs(20_000, 20_000.0, seed, 3.0, 15.0)
    work = [
        replace(job, name=f"job{number}", script=f"echo job{number} >> {started}; ") for number, job in enumerate(work)
    ]
    with real_slurm.held_slurm(["CPUs=8 RealMemory=16000"] * HOSTS) as slurm:
        deaths = Deaths(slurm, folder, random.Random(seed))
        deaths.start_loop()
        with site.submitting(slurm, work) as submitted:
            acts: list[tuple[Callable[[], None], int]] = [
                (deaths.kill_loop, loops),
                (deaths.kill_controller, controllers),
                (deaths.trouble_a_host, hosts),
            ]
            for act, count in acts:
                for _ in range(count):
                    act()
                    print(time.strftime("%T"), dict(deaths.done), len(submitted.numbers), flush=True)
        assert deaths.loop is not None
        still = deaths.loop.poll() is None
        waiting = _drained(slurm)
        code = deaths.stop_loop() if still else deaths.loop.returncode
        rows = slurm.run("sacct", "-a", "-n", "-P", "-D", "-X", "-S", "now-1days", "-o", "JobName,State").splitlines()
    checked = subprocess.run([*site.PROGRAM, "live", "--check", "killed"], cwd=folder, capture_output=True, text=True)
    return {
        **deaths.done,
        "loop_still_ran": still,
        "loop_exit_code": code,
        **_fate(submitted.names, rows, started),
        "stranded": waiting,
        "check": checked.stdout.splitlines()[:3],
    }


def _drained(slurm: RealSlurm) -> list[str]:
    """Wait until the queue is empty; who is still there when patience ends."""
    until = time.monotonic() + PATIENCE_S
    while (left := slurm.run("squeue", "-h", "-o", "%j %T %r").splitlines()) and time.monotonic() < until:
        time.sleep(1.0)
    return left


def _fate(names: list[str], rows: list[str], started: Path) -> dict[str, object]:
    """Of every job that Slurm took: whether it completed, and whether it began more often than Slurm says it did."""
    began = Counter(started.read_text().split())
    states: dict[str, list[str]] = {}
    for row in rows:
        name, state = row.split("|")[:2]
        states.setdefault(name, []).append(state.split()[0])
    runs = {name: len(found) for name, found in states.items()}
    done = {name for name in names if "COMPLETED" in states.get(name, ())}
    again = [name for name in names if began[name] > 1]
    return {
        "submitted": len(names),
        "completed": len(done),
        "forgotten_by_slurm": [name for name in names if name not in runs],
        "not_completed": {name: states[name] for name in names if name in runs and name not in done},
        "began_again_as_slurm_requeued_them": sum(began[name] <= runs.get(name, 0) for name in again),
        "began_twice": {name: began[name] for name in again if began[name] > runs.get(name, 0)},
    }
