"""Enters the new events of an observation into a bag's state, one by one: a sizer decides after each."""

from collections.abc import Callable
from dataclasses import dataclass, field

from loadmaster.live.bag.command import CANNOT_RUN, TIMED_OUT, outcome_in
from loadmaster.live.bag.config import BagConfig, task_folder
from loadmaster.live.bag.session_state import BagSessionState
from loadmaster.live.session.engine import EndedJob, Observation
from loadmaster.model.actions import Action, Release, Stop
from loadmaster.sizing.snapshot import Occasion


@dataclass
class BagUpdates:
    """Enters what is new, says what a person should know of it, and what has to be asked of the engine at once.

    Attributes:
        state: of the bag.
        config: how often a command is tried, how long a machine may take to come up.
        say: a sentence for the user.
        exits: exit code of every command that has ended for good, by its number, in all starts.
        failures: by command, how often it has failed in this start.
        again: commands started more than once, with the reason.
        left_behind: commands that left processes behind, with what these are.
        refused: by machine, why an attempt could not be given to it.
        asked: of the engine, because of what is new.
    """

    state: BagSessionState
    config: BagConfig
    say: Callable[[str], None]
    exits: dict[int, int] = field(default_factory=dict)
    failures: dict[int, int] = field(default_factory=dict)
    again: list[tuple[int, str]] = field(default_factory=list)
    left_behind: list[tuple[int, str]] = field(default_factory=list)
    refused: dict[int, str] = field(default_factory=dict)
    asked: list[Action] = field(default_factory=list)

    def take(self, seen: Observation) -> Occasion | None:
        """Enter the next of what is new; why a decision is due now, or None if nothing is."""
        rented_names = {self.state.names[host] for host in self.state.ledger.alive()}
        for name in seen.hosts:
            if name not in rented_names:
                self.state.rent(name)
        running = self.state.running()
        for over in seen.over:
            if over.id in running:
                return self._ended(running[over.id], over)
        for host in self.state.ledger.alive():
            if (why := self._why_lost(host, seen)) is not None:
                self._lost(host, why)
                return "change"
        return self._came_up(seen)

    def tell(self, line: int, what: str) -> None:
        """A command is started once more."""
        self.again.append((line, what))
        self.say(f"task {line} {what}")

    def _ended(self, host: int, over: EndedJob) -> Occasion:
        task = self.state.ledger.task_on(host)
        if over.exit_code == CANNOT_RUN and over.ran_s == 0.0:
            self.say(f"task {self.state.line[task]} could not be run: {over.text}")
        elif over.text:
            self._look_behind(self.state.line[task], over.text)
        if over.exit_code != 0:
            self._failed(host, task, over)
            return "change"
        self._succeeded(host, task, over.ran_s)
        return "completion"

    def _look_behind(self, line: int, left: str) -> None:
        """Say which processes a command left behind."""
        self.left_behind.append((line, left))
        self.state.write(left_behind=left, t=self.state.now_s, task=line)
        self.say(f"task {line} left processes that still run: {left}")

    def _succeeded(self, host: int, task: int, seconds: float) -> None:
        """A command ended well; a copy of it that still runs is killed."""
        state, line = self.state, self.state.line[task]
        self.exits[line] = 0
        state.note("finished", host, task, exit=0, seconds=seconds)
        for other in state.ledger.hosts_of(task):
            ended, killed = state.attempt[host], state.attempt[other]
            self.say(f"task {line} ended on its attempt {ended}; attempt {killed} is killed")
            self.asked.append(Stop(state.job_on(other)))
            state.note("dropped", other, task)

    def _failed(self, host: int, task: int, over: EndedJob) -> None:
        """A command ended badly: its copy runs on, or it is tried again, or given up."""
        state, line, code = self.state, self.state.line[task], over.exit_code
        limit_s = self.config.timeout_s
        why = f"ran into its limit of {limit_s:g} s" if code == TIMED_OUT and limit_s else f"ended with {code}"
        if len(state.ledger.hosts_of(task)) > 1:
            state.note("dropped", host, task, exit=code, seconds=over.ran_s)
            self.say(f"task {line} {why}, its copy runs on")
            return
        self.failures[line] = self.failures.get(line, 0) + 1
        if self.failures[line] <= self.config.retries:
            state.note("failed", host, task, exit=code, seconds=over.ran_s)
            self.tell(line, f"{why}, is tried again")
        else:
            self.exits[line] = 1 if code is None else code
            state.note("given-up", host, task, exit=self.exits[line], seconds=over.ran_s)
            self.say(f"task {line} {why}: {task_folder(self.config.folder, line, state.attempt[host])}")

    def _came_up(self, seen: Observation) -> Occasion | None:
        up = {name for name, is_up in zip(seen.hosts, seen.up, strict=True) if is_up}
        fresh = [
            host for host in self.state.ledger.alive() if host not in self.state.up and self.state.names[host] in up
        ]
        for host in fresh:
            self.state.up.add(host)
            self.state.note("ready", host)
        return "change" if fresh else None

    def _why_lost(self, host: int, seen: Observation) -> str | None:
        """Why a machine is not to be counted on any more; None: it is."""
        name, came_up = self.state.names[host], host in self.state.up
        if name not in seen.hosts:
            why = dict(seen.gone).get(name, "its machine is gone")
            if not came_up:
                self.say(f"machine {name} is gone before it came up: {why}; another is rented if needed")
            return why if came_up else "its machine is gone"
        if host in self.refused:
            return self.refused.pop(host)
        if came_up or self.state.now_s - self.state.since[host] <= self.config.boot_limit_s:
            return None
        if dict(zip(seen.hosts, seen.up, strict=True))[name]:
            return None
        self.say(f"machine {name} did not come up, is given up")
        return "its worker never came up"

    def _lost(self, host: int, why: str) -> None:
        """A machine is given up; its command is run again, or its copy runs on."""
        state = self.state
        task = state.ledger.task_on(host)
        copies = state.ledger.hosts_of(task)
        state.note("lost", host, why=why)
        self.asked.append(Release(state.names[host]))
        if task >= 0 and len(copies) > 1:
            self.say(f"task {state.line[task]} {why}, its copy runs on")
        elif task >= 0:
            line = state.line[task]
            outcome = outcome_in(task_folder(self.config.folder, line, state.attempt[host]))
            ended = " just after it had ended; it" if outcome is not None and outcome["exit_code"] == 0 else ","
            self.tell(line, f"{why}{ended} is run again")
