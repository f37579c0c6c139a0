"""Runs a bag of shell commands for real: hands out, watches, decides as the simulator does, writes all down."""

import contextlib
import math
import queue
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from loadmaster.live.command import CANNOT_RUN, TIMED_OUT, Outcome, execute, outcome_in, stop
from loadmaster.live.job_log import JobLog, described
from loadmaster.live.machines import Machines
from loadmaster.live.past import Past, read_past, same_commands
from loadmaster.live.purse import Purse
from loadmaster.live.terms import Report, Terms, task_folder
from loadmaster.sizing import BagSnapshot, Event, Ledger, Sizer, decide
from loadmaster.sizing.ledger import Kind
from loadmaster.sizing.snapshot import Occasion

_POLL_S = 0.2
_SHOW_S = 1.0

_ALIVE_S = 60.0
"""How often the log says that the runner lives, so that one that is killed has its machines charged to the minute."""

Watcher = Callable[[BagSnapshot, Sizer, float, int], None]
"""Called after every decision, and every second, with the snapshot, the sizer of this start, money spent and tasks done
in all starts."""


def run_commands(
    commands: Sequence[str],
    terms: Terms,
    machines: Machines,
    watch: Watcher | None = None,
    say: Callable[[str], None] = print,
) -> Report:
    """Run every command that no earlier session has ended; returns when all have ended for good.

    Raises:
        InputError: the folder belongs to other commands, or another runner is at work there.
        KeyboardInterrupt: passed on after the state is written down; the same call goes on from there.
    """
    log = JobLog(terms.folder / "log.jsonl")
    log.open()
    try:
        past = same_commands(read_past(log), commands, log.path)
        runner = _Runner(commands, terms, machines, log, past, watch or (lambda *_: None), say)
        return runner.run()
    finally:
        log.close()


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
    attempt: dict[int, int] = field(default_factory=dict)  # machine -> number of the attempt it makes
    again: list[tuple[int, str]] = field(default_factory=list)
    failures: dict[int, int] = field(default_factory=dict)
    events: int = 0
    exits: dict[int, int] = field(default_factory=dict)
    left_behind: list[tuple[int, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.began = time.monotonic()
        self.elapsed_s = 0.0 if self.past.began is None else max(0.0, time.time() - self.past.began)
        self.sizer = self.terms.sizer_after(self.past.spent, self.elapsed_s)
        left = math.inf if self.terms.budget is None else self.terms.budget - self.past.spent
        self.purse = Purse(left, self.terms.kind)
        if self.terms.retry_failed:
            self._take_up_failed()
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
            sizer=described(self.sizer), type=described(self.terms.kind),
        )  # fmt: skip
        ended = "done"
        try:
            if self.line:
                self._decide("start")
            self._loop()
            ended = "done" if self.ledger.complete else "budget"
        except BaseException as error:
            ended = "stopped" if isinstance(error, KeyboardInterrupt) else "crashed"
            raise
        finally:
            now = self._now()
            cost = self.ledger.spent(now)
            self.log.write(ended=ended, t=now, spent=cost)
        for host in self.ledger.alive():
            self._note("released", host)
        unpaid = [line for line in self.line if line not in self.exits]
        idle = {line for line in unpaid if self.attempts.get(line) == self.past.attempts.get(line)}
        again = [(line, why) for line, why in self.again if line not in idle]  # the money may end before their turn
        return Report(
            self.exits, now, self.elapsed_s + now, cost, self.past.spent, len(self.names), len(self.past.done),
            again, unpaid, self.left_behind,
        )  # fmt: skip

    def _loop(self) -> None:
        tick = self._now() + self.sizer.tick_s
        wake = float("inf")
        looked = shown = alive = 0.0
        while not self.ledger.complete and not self._out_of_money():
            with contextlib.suppress(queue.Empty):
                host, task, future = self.news.get(timeout=max(0.01, min(_POLL_S, tick - self._now())))
                wake = self._ended(host, task, future, wake)
            if self._now() - looked >= _POLL_S and not self.ledger.complete:
                looked = self._now()
                wake = self._look(self._give_back_unpaid(wake))
            if self._now() >= tick and not self.ledger.complete:
                tick = self._now() + self.sizer.tick_s
                wake = self._decide("tick")
            elif self._now() >= wake and not self.ledger.complete:
                wake = self._decide("change")
            if self._now() - shown >= _SHOW_S:
                shown = self._now()
                self._show(self.ledger.snapshot(shown, "change"))
            if self._now() - alive >= _ALIVE_S:
                alive = self._now()
                self.log.write(alive=True, t=alive)

    def _out_of_money(self) -> bool:
        """Nothing runs any more, and no machine can be paid for."""
        return not self.ledger.alive() and self.purse.pays_for(self.ledger.spent(self._now())) < 1

    def _give_back_unpaid(self, wake: float) -> float:
        """Machines at the end of their paid time go back if the budget does not reach, their commands with them."""
        now = self._now()
        ages = {host: now - self.since[host] for host in self.ledger.alive()}
        unpaid = self.purse.unpaid(ages, self.ledger.spent(now))
        for host in unpaid:
            if (task := self.ledger.task_on(host)) >= 0:
                self.say(f"task {self.line[task]} is stopped: the budget does not pay for more time")
        if not unpaid:
            return wake
        self._change(0, unpaid)
        return self._decide("change")

    def _ended(self, host: int, task: int, future: Any, wake: float) -> float:
        """A future is done: the command ended, or its worker died."""
        if host not in self.futures or self.futures[host] is not future:
            return wake
        del self.futures[host]
        if future.status != "finished":
            reason = _cannot_run(future)
            died = "its worker died" if future.status == "error" else "the scheduler lost it"
            return self._lost(host, died) if reason is None else self._stillborn(host, task, reason)
        outcome = future.result()
        future.release()
        self._look_behind(self.line[task], outcome)
        if outcome["exit_code"] == 0:
            self._succeeded(host, task, outcome["seconds"])
            return self._decide("completion") if not self.ledger.complete else wake
        self._failed(host, task, outcome)
        return self._decide("change") if not self.ledger.complete else wake

    def _look_behind(self, line: int, outcome: Outcome) -> None:
        """Say which processes a command left behind."""
        if left := ", ".join(outcome.get("left", [])):
            self.left_behind.append((line, left))
            self.log.write(left_behind=left, t=self._now(), task=line)
            self.say(f"task {line} left behind what still runs: {left}")

    def _succeeded(self, host: int, task: int, seconds: float) -> None:
        """A command ended well; a copy of it that still runs is killed."""
        line = self.line[task]
        self.exits[line] = 0
        self._note("finished", host, task, exit=0, seconds=seconds)
        for other in self.ledger.hosts_of(task):
            self.say(f"task {line} ended on its attempt {self.attempt[host]}; attempt {self.attempt[other]} is killed")
            self.futures.pop(other).cancel(force=True)
            self._kill(other, line)
            self._note("dropped", other, task)

    def _kill(self, host: int, line: int) -> None:
        """Kill the command of a task on a machine, which lives."""
        folder = str(task_folder(self.terms.folder.resolve(), line, self.attempt[host]))
        self.machines.client.run(stop, folder, workers=[self.addresses[host]], on_error="ignore")

    def _failed(self, host: int, task: int, outcome: Outcome) -> None:
        """A command ended badly: its copy runs on, or it is tried again, or given up."""
        line, code = self.line[task], outcome["exit_code"]
        limit_s = self.terms.timeout_s
        why = f"ran into its limit of {limit_s:g} s" if code == TIMED_OUT and limit_s else f"ended with {code}"
        if len(self.ledger.hosts_of(task)) > 1:
            self._note("dropped", host, task, exit=code, seconds=outcome["seconds"])
            self.say(f"task {line} {why}, its copy runs on")
            return
        self.failures[line] = self.failures.get(line, 0) + 1
        if self.failures[line] <= self.terms.retries:
            self._note("failed", host, task, exit=code, seconds=outcome["seconds"])
            self._tell(line, f"{why}, is tried again")
        else:
            self.exits[line] = code
            self._note("given-up", host, task, exit=code, seconds=outcome["seconds"])
            self.say(f"task {line} {why}: {task_folder(self.terms.folder, line, self.attempt[host])}")

    def _stillborn(self, host: int, task: int, reason: str) -> float:
        """The worker lives but could not run the command at all, or not keep its output."""
        outcome = Outcome(
            command=self.commands[self.line[task] - 1], exit_code=CANNOT_RUN, seconds=0.0, cpu_s=0.0, ended=time.time(),
            worker=-1,
        )  # fmt: skip
        self.say(f"task {self.line[task]} could not be run: {reason}")
        self._failed(host, task, outcome)
        return self._decide("change") if not self.ledger.complete else float("inf")

    def _look(self, wake: float) -> float:
        """Machines that came up, and machines that are gone."""
        present, vanished = self.machines.present(), self.machines.vanished()
        changed = False
        for host in self.ledger.alive():
            name, known = self.names[host], self.addresses.get(host)
            address = present.get(name)
            if known is None and address is not None:
                self.addresses[host] = address
                self._note("ready", host)
                changed = True
            elif known is None and name in vanished:
                self.say(f"machine {name} is gone before it came up: {vanished[name]}; another is rented if needed")
                wake = self._lost(host, "its machine is gone")
            elif known is None and self._now() - self.since[host] > self.terms.boot_limit_s:
                self.say(f"machine {name} did not come up, is given up")
                wake = self._lost(host, "its worker never came up")
            elif known is not None and address != known:
                wake = self._gone(host, wake)
        return self._decide("change") if changed else wake

    def _gone(self, host: int, wake: float) -> float:
        future = self.futures.get(host)
        if future is not None and future.status == "finished":
            return wake  # its result is among the news
        if future is not None:
            self.futures.pop(host).cancel(force=True)
        return self._lost(host, "its worker died")

    def _lost(self, host: int, why: str) -> float:
        if host not in self.ledger.alive():
            return float("inf")
        task = self.ledger.task_on(host)
        if task >= 0 and self.addresses[host] in self.machines.present().values():
            self._kill(host, self.line[task])
        copies = self.ledger.hosts_of(task)
        self._note("lost", host, why=why)
        if task >= 0 and len(copies) > 1:
            self.say(f"task {self.line[task]} {why}, its copy runs on")
        elif task >= 0:
            line = self.line[task]
            outcome = outcome_in(task_folder(self.terms.folder, line, self.attempt[host]))
            ended = " just after it had ended; it" if outcome is not None and outcome["exit_code"] == 0 else ","
            self._tell(line, f"{why}{ended} is run again")
        with contextlib.suppress(Exception):
            self.machines.change(0, [self.names[host]])
        return self._decide("change")

    def _decide(self, occasion: Occasion) -> float:
        now = self._now()
        snapshot = self.ledger.snapshot(now, occasion)
        actions = decide(snapshot, self.sizer)
        self.log.write(
            decision=occasion, t=now, seen=self.events, rent=[list(rent) for rent in actions.rent],
            release=list(actions.release), replicate=list(actions.replicate), memory=actions.memory,
        )  # fmt: skip
        self.ledger.memory = actions.memory
        self._change(int(min(actions.rented, self.purse.pays_for(self.ledger.spent(now)))), actions.release)
        for host in self.ledger.idle():
            if self.ledger.waiting:
                self._start(host, self.ledger.waiting[0])
        for task, host in zip(actions.replicate, self.ledger.idle(), strict=False):
            self._tell(self.line[task], "lasts far longer than others, a copy is started")
            self._start(host, task)
        self._show(snapshot)
        return actions.wake_s

    def _show(self, snapshot: BagSnapshot) -> None:
        self.watch(snapshot, self.sizer, self.past.spent + self.ledger.spent(self._now()), len(self.exits))

    def _change(self, rent: int, release: Sequence[int]) -> None:
        for host in release:
            task = self.ledger.task_on(host)
            self._note("released", host)
            if (future := self.futures.pop(host, None)) is not None:
                future.cancel(force=True)
                self._kill(host, self.line[task])
        if not rent and not release:
            return
        names = self.machines.change(rent, [self.names[host] for host in release])
        for name in names:
            host = len(self.names)
            self.names[host] = name
            self.since[host] = self._now()
            self._note("rented", host, name=name)

    def _start(self, host: int, task: int) -> None:
        line = self.line[task]
        attempt = self.attempt[host] = self.attempts[line] = self.attempts.get(line, 0) + 1
        self._note("started", host, task)
        folder = str(task_folder(self.terms.folder.resolve(), line, attempt))
        future = self.machines.client.submit(
            execute, self.commands[line - 1], folder, self.terms.timeout_s, pure=False,
            key=f"task-{line}-{attempt}-{time.time_ns()}", workers=[self.addresses[host]], allow_other_workers=False,
        )  # fmt: skip
        self.futures[host] = future
        future.add_done_callback(lambda done: self.news.put((host, task, done)))

    def _take_up_failed(self) -> None:
        """Tasks that failed for good in earlier sessions count as not done."""
        for line, code in sorted(self.past.done.items()):
            if code != 0:
                del self.past.done[line]
                self._tell(line, f"ended with {code} in an earlier run, is to be tried again")

    def _adopt(self) -> None:
        """Tasks that were running when the last session stopped: ended all the same, or to be run again."""
        for line, attempts in self.past.open.items():
            found = (outcome_in(task_folder(self.terms.folder, line, attempt)) for attempt in attempts)
            mine = (o for o in found if o is not None and o["command"] == self.commands[line - 1])
            outcome = next((o for o in mine if o["exit_code"] == 0), None)
            if outcome is None:
                self._tell(line, "was running when the last run stopped, is to be run again")
                continue
            self.exits[line] = self.past.done[line] = 0
            self.past.seconds.append(outcome["seconds"])
            self.log.write(
                event="finished", t=0.0, host=-1, task=line, exit=0, seconds=outcome["seconds"], adopted=True
            )
            self.say(f"task {line} had ended although the last run was stopped; its result is kept")

    def _note(self, kind: Kind, host: int, task: int = -1, **more: Any) -> None:
        event = Event(self._now(), kind, host, task)
        self.ledger.apply(event)
        self.events += 1
        line = {"task": self.line[task], "attempt": self.attempt[host]} if task >= 0 else {}
        self.log.write(event=kind, t=event.time_s, host=host, index=task, **line, **more)

    def _tell(self, line: int, what: str) -> None:
        self.again.append((line, what))
        self.say(f"task {line} {what}")

    def _now(self) -> float:
        return time.monotonic() - self.began


def _cannot_run(future: Any) -> str | None:
    """Why the worker could not run a command, or None if the worker is gone."""
    from distributed import KilledWorker

    if future.status != "error":
        return None
    error = future.exception()
    return None if isinstance(error, KilledWorker) else f"{type(error).__name__}: {error}"
