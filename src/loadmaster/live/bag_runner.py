"""Runs a bag of shell commands for real: hands out, watches, decides as the simulator does, writes all down."""

import contextlib
import math
import queue
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from loadmaster.live.command import TIMED_OUT, execute, outcome_in
from loadmaster.live.job_log import JobLog, Past, read_past
from loadmaster.live.machines import Machines
from loadmaster.model.errors import InputError
from loadmaster.size import Actions, BagSnapshot, Event, HostType, Ledger, Sizer, decide
from loadmaster.size.ledger import Kind
from loadmaster.size.snapshot import Occasion

_POLL_S = 0.2


@dataclass(frozen=True)
class Terms:
    """How a bag is to be run.

    Attributes:
        folder: of the job log and of the tasks' output.
        sizer: decides how many machines.
        kind: the machine type, for prices.
        retries: how often a command that fails is tried again.
        timeout_s: a command is killed after this time; None: never.
        boot_limit_s: a machine that has not come up by then is given up.
    """

    folder: Path
    sizer: Sizer
    kind: HostType = field(default_factory=HostType)
    retries: int = 0
    timeout_s: float | None = None
    boot_limit_s: float = math.inf


@dataclass(frozen=True)
class Report:
    """What became of a bag.

    Attributes:
        exits: exit code of every task, by line number from 1.
        span_s: seconds of this session.
        cost: money charged in this session, by the price table.
        spent_before: money of earlier sessions, where they came to an end.
        hosts: machines rented in this session.
        skipped: tasks that an earlier session had done.
        again: tasks started more than once, with the reason.
    """

    exits: dict[int, int]
    span_s: float
    cost: float
    spent_before: float
    hosts: int
    skipped: int
    again: list[tuple[int, str]]

    @property
    def failed(self) -> list[int]:
        """Tasks whose command did not end with 0."""
        return sorted(task for task, code in self.exits.items() if code != 0)


Watcher = Callable[[BagSnapshot, float, int], None]
"""Called after every decision with the snapshot, the money spent so far and the number of tasks done in all."""


def run_commands(
    commands: Sequence[str],
    terms: Terms,
    machines: Machines,
    watch: Watcher | None = None,
    say: Callable[[str], None] = print,
) -> Report:
    """Run every command that no earlier session has done; returns when all have ended for good.

    Raises:
        InputError: the folder belongs to other commands, or another runner is at work there.
        KeyboardInterrupt: passed on after the state is written down; the same call goes on from there.
    """
    log = JobLog(terms.folder / "log.jsonl")
    log.open()
    try:
        past = _check(read_past(log), commands, log.path)
        runner = _Runner(commands, terms, machines, log, past, watch or (lambda *_: None), say)
        return runner.run()
    finally:
        log.close()


def task_folder(folder: Path, task: int, attempt: int) -> Path:
    """Where the output of an attempt lies; tasks and attempts from 1."""
    return folder / "tasks" / f"{task:06d}" / f"attempt-{attempt}"


def _check(past: Past, commands: Sequence[str], path: Path) -> Past:
    if past.commands and past.commands != list(commands):
        pairs = zip(past.commands, commands, strict=False)
        line = next(
            (n for n, (old, new) in enumerate(pairs, 1) if old != new), min(len(past.commands), len(commands)) + 1
        )
        raise InputError(
            f"line {line}", "the commands are not those of the run in this folder",
            fix="give another folder with -o", where=str(path),
        )  # fmt: skip
    return past


@dataclass
class _Runner:
    commands: Sequence[str]
    terms: Terms
    machines: Machines
    log: JobLog
    past: Past
    watch: Watcher
    say: Callable[[str], None]
    news: "queue.SimpleQueue[tuple[int, int, Any]]" = field(default_factory=queue.SimpleQueue)
    names: dict[int, str] = field(default_factory=dict)  # machine -> name of its worker
    since: dict[int, float] = field(default_factory=dict)  # machine -> when it was rented
    addresses: dict[int, str] = field(default_factory=dict)
    futures: dict[int, Any] = field(default_factory=dict)  # machine -> future
    again: list[tuple[int, str]] = field(default_factory=list)
    failures: dict[int, int] = field(default_factory=dict)
    events: int = 0
    exits: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.began = time.monotonic()
        self.exits = dict(self.past.done)
        self._adopt()
        # Index in the book -> line number of the command.
        self.line = [task for task in range(1, len(self.commands) + 1) if task not in self.exits]
        self.ledger = Ledger((self.terms.kind,), len(self.line), finished_s=list(self.past.seconds))
        self.attempts = dict(self.past.attempts)

    def run(self) -> Report:
        """The main loop: news of tasks, then machines that came or went, then the clock."""
        self.log.write(
            session=time.time(), commands=list(self.commands), left=self.line, known_s=self.past.seconds,
            sizer=repr(self.terms.sizer), type=repr(self.terms.kind),
        )  # fmt: skip
        ended = "done"
        try:
            if self.line:
                self._decide("start")
            self._loop()
        except BaseException as error:
            ended = "stopped" if isinstance(error, KeyboardInterrupt) else "crashed"
            raise
        finally:
            now = self._now()
            cost = self.ledger.spent(now)
            self.log.write(ended=ended, t=now, spent=cost)
        for host in self.ledger.alive():
            self._note("released", host)
        return Report(
            self.exits, now, cost, self.past.spent, len(self.names), len(self.past.done), self.again
        )  # fmt: skip

    def _loop(self) -> None:
        tick = self._now() + self.terms.sizer.tick_s
        wake = float("inf")
        looked = 0.0
        while not self.ledger.complete:
            with contextlib.suppress(queue.Empty):
                host, task, future = self.news.get(timeout=max(0.01, min(_POLL_S, tick - self._now())))
                wake = self._ended(host, task, future, wake)
            if self._now() - looked >= _POLL_S and not self.ledger.complete:
                looked = self._now()
                wake = self._look(wake)
            if self._now() >= tick and not self.ledger.complete:
                tick = self._now() + self.terms.sizer.tick_s
                wake = self._decide("tick")
            elif self._now() >= wake and not self.ledger.complete:
                wake = self._decide("change")

    def _ended(self, host: int, task: int, future: Any, wake: float) -> float:
        """A future is done: the command ended, or its worker died."""
        if host not in self.futures or self.futures[host] is not future:
            return wake
        del self.futures[host]
        if future.status != "finished":
            return self._lost(host, "its worker died")
        outcome = future.result()
        future.release()
        line = self.line[task]
        code = outcome["exit_code"]
        if code == 0:
            self.exits[line] = 0
            self._note("finished", host, task, exit=0, seconds=outcome["seconds"])
            return self._decide("completion") if not self.ledger.complete else wake
        self.failures[line] = self.failures.get(line, 0) + 1
        why = (
            f"ran into its limit of {self.terms.timeout_s:g} s"
            if code == TIMED_OUT and self.terms.timeout_s
            else f"ended with {code}"
        )
        if self.failures[line] <= self.terms.retries:
            self._note("failed", host, task, exit=code, seconds=outcome["seconds"])
            self._tell(line, f"{why}, is tried again")
        else:
            self.exits[line] = code
            self._note("given-up", host, task, exit=code, seconds=outcome["seconds"])
            self.say(f"task {line} {why}: {task_folder(self.terms.folder, line, self.attempts[line])}")
        return self._decide("change") if not self.ledger.complete else wake

    def _look(self, wake: float) -> float:
        """Machines that came up, and machines that are gone."""
        present = self.machines.present()
        changed = False
        for host in self.ledger.alive():
            address = present.get(self.names[host])
            known = self.addresses.get(host)
            if known is None and address is not None:
                self.addresses[host] = address
                self._note("ready", host)
                changed = True
            elif known is None and self._now() - self.since[host] > self.terms.boot_limit_s:
                self.say(f"machine {self.names[host]} did not come up, is given up")
                wake = self._lost(host, "its worker never came up")
            elif known is not None and address != known:
                future = self.futures.pop(host, None)
                if future is not None and future.status == "finished":
                    self.futures[host] = future  # its result is among the news
                    continue
                if future is not None:
                    future.cancel(force=True)
                wake = self._lost(host, "its worker died")
        return self._decide("change") if changed else wake

    def _lost(self, host: int, why: str) -> float:
        if host not in self.ledger.alive():
            return float("inf")
        task = self.ledger.task_on(host)
        self._note("lost", host)
        if task >= 0:
            line = self.line[task]
            folder = task_folder(self.terms.folder, line, self.attempts[line])
            if (outcome := outcome_in(folder)) is not None and outcome["exit_code"] == 0:
                self._tell(line, f"{why} just after it had ended; it is run again")
            else:
                self._tell(line, f"{why}, is run again")
        with contextlib.suppress(Exception):
            self.machines.change(0, [self.names[host]])
        return self._decide("change")

    def _decide(self, occasion: Occasion) -> float:
        now = self._now()
        snapshot = self.ledger.snapshot(now, occasion)
        actions = decide(snapshot, self.terms.sizer)
        self.log.write(
            decision=occasion, t=now, seen=self.events, rent=[list(rent) for rent in actions.rent],
            release=list(actions.release), memory=actions.memory,
        )  # fmt: skip
        self.ledger.memory = actions.memory
        self._change(actions)
        for host in self.ledger.idle():
            if self.ledger.waiting:
                self._start(host, self.ledger.waiting[0])
        self.watch(snapshot, self.past.spent + self.ledger.spent(self._now()), len(self.exits))
        return actions.wake_s

    def _change(self, actions: Actions) -> None:
        for host in actions.release:
            self._note("released", host)
            if (future := self.futures.pop(host, None)) is not None:
                future.cancel(force=True)
        if not actions.rented and not actions.release:
            return
        names = self.machines.change(actions.rented, [self.names[host] for host in actions.release])
        for name in names:
            host = len(self.names)
            self.names[host] = name
            self.since[host] = self._now()
            self._note("rented", host, name=name)

    def _start(self, host: int, task: int) -> None:
        line = self.line[task]
        attempt = self.attempts[line] = self.attempts.get(line, 0) + 1
        self._note("started", host, task, attempt=attempt)
        folder = str(task_folder(self.terms.folder.resolve(), line, attempt))
        future = self.machines.client.submit(
            execute, self.commands[line - 1], folder, self.terms.timeout_s, pure=False,
            key=f"task-{line}-{attempt}-{time.time_ns()}", workers=[self.addresses[host]], allow_other_workers=False,
        )  # fmt: skip
        self.futures[host] = future
        future.add_done_callback(lambda done: self.news.put((host, task, done)))

    def _adopt(self) -> None:
        """Tasks that were running when the last session stopped: ended all the same, or to be run again."""
        for line, attempt in self.past.open.items():
            outcome = outcome_in(task_folder(self.terms.folder, line, attempt))
            if outcome is not None and outcome["command"] == self.commands[line - 1] and outcome["exit_code"] == 0:
                self.exits[line] = 0
                self.past.seconds.append(outcome["seconds"])
                self.past.done[line] = 0
                self.log.write(
                    event="finished", t=0.0, host=-1, task=line, exit=0, seconds=outcome["seconds"], adopted=True
                )
                self.say(f"task {line} had ended although the last run was stopped; its result is kept")
            else:
                self._tell(line, "was running when the last run stopped, is run again")

    def _note(self, kind: Kind, host: int, task: int = -1, **more: Any) -> None:
        event = Event(self._now(), kind, host, task)
        self.ledger.apply(event)
        self.events += 1
        line = {"task": self.line[task]} if task >= 0 else {}
        self.log.write(event=kind, t=event.time_s, host=host, index=task, **line, **more)

    def _tell(self, line: int, what: str) -> None:
        self.again.append((line, what))
        self.say(f"task {line} {what}")

    def _now(self) -> float:
        return time.monotonic() - self.began
