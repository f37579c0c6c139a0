"""The contract with an engine: it is observed and it acts; nothing else connects it to the other rooms.

An engine is whatever really runs jobs: Slurm, Kubernetes, a set of virtual machines. An adapter is one class with the
methods of `Engine`. It decides nothing and remembers nothing that matters: the next observation is the only truth.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from loadmaster.model import Cluster, InputError, Workload
from loadmaster.model.actions import Action
from loadmaster.model.arrays import Bools, Floats, Ints, Longs
from loadmaster.model.awaited_jobs import Awaits
from loadmaster.model.errors import LoadmasterError
from loadmaster.packing.constrained.constraints import BetweenTasks

STATES = ("held", "claimed", "running", "ending")
"""Of a task, by its code. Held: it waits and is ours to start; an adapter that only looks on says so of all that waits.
Claimed: it has been released, by us if it has a pin, and does not run yet. Running. Ending: it is over as far as the
job goes, and holds what it requested a little longer. What its user holds is held, and `constraints.hold` says so."""
HELD, CLAIMED, RUNNING, ENDING = range(len(STATES))
NOWHERE = -1
KEPT_ROOM = "loadmaster/room-for-"
"""How the name of a job begins that is none, but room that we keep on a host for one."""

Kind = Literal["gone", "denied", "busy", "unfit", "unknown"]


class EngineDown(LoadmasterError):
    """The engine does not answer; asked again later, it may."""


@dataclass(frozen=True)
class Capabilities:
    """What an engine can do.

    Attributes:
        place: start a job on hosts of our choice.
        share: cap what a job gets of the CPU.
        rent: get machines and give them back.
        migrate: move a running job: `live`, by killing it and starting it elsewhere (`restart`), or not at all.
        watch: it tells of changes (`push`), or has to be asked (`poll`).
        hold: keep jobs from its own scheduler until we start them.
    """

    place: bool = True
    share: bool = False
    rent: bool = False
    migrate: Literal["none", "restart", "live"] = "none"
    watch: Literal["poll", "push"] = "poll"
    hold: bool = True


@dataclass(frozen=True, eq=False)
class ObservedTasks:
    """N tasks of the jobs of an observation, those of one job together and in their order.

    Attributes:
        job: int64[N], a row of the jobs of the observation.
        task: int32[N], 0 for the first task of each job.
        state: int32[N], a code of `STATES`.
        host: int32[N], the row of the host on which it runs or ends, else `NOWHERE`.
        pin: int32[N], the row of the host to which we have pinned it, as far as the engine remembers, else `NOWHERE`.
        demand: float64[N, R], what it holds where that is more than its job requested; None: what its job requests.
        start_s: float64[N], when it began to run as the engine tells it, NaN where it does not; None: it never does.
        share: float64[N], the part of the CPU it requests that it may have now, 1 without a cap; None: nothing is
            capped here.
        stays: bool[N], it runs and cannot be moved; None: no such task. Of one that is on its way, `pin` is where to.
    """

    job: Longs
    task: Ints
    state: Ints
    host: Ints
    pin: Ints
    demand: Floats | None = None
    start_s: Floats | None = None
    share: Floats | None = None
    stays: Bools | None = None

    @classmethod
    def one_each(cls, host: ArrayLike, state: ArrayLike = RUNNING, pin: ArrayLike = NOWHERE, **more: Any) -> Self:
        """Of jobs that have one task each.

        Args:
            host: int[N], as above.
            state: int[N], or one number for all.
            pin: the same.
            more: other columns.
        """
        host = np.array(host, np.int32).reshape(-1)
        state, pin = (np.broadcast_to(np.array(each, np.int32), host.shape).copy() for each in (state, pin))
        return cls(np.arange(len(host)), np.zeros(len(host), np.int32), state, host, pin, **more)

    def __len__(self) -> int:
        return int(self.job.shape[0])


@dataclass(frozen=True)
class EndedJob:
    """A job that is over, as the engine tells it.

    Attributes:
        id: the engine's name of it.
        end_s: when it ended.
        status: how, one of `loadmaster.model.constraints.STATUSES`.
        exit_code: of its command; None where the engine does not know it.
        ran_s: how long it ran by the engine's account; NaN where it does not say.
        text: what else the engine says of it.
    """

    id: str
    end_s: float
    status: str = "ok"
    exit_code: int | None = None
    ran_s: float = math.nan
    text: str = ""


@dataclass(frozen=True, eq=False)
class Observation:
    """One observation: what one listing of the engine says. Times are seconds of one clock, usually since the epoch.

    Attributes:
        at_s: when the listing was made, by the clock that all other times of the engine go by.
        cluster: every host that may ever be used, each under the engine's own name, with all it has when it is empty;
            partitions and features of hosts in its rules. Of an engine that rents those that are rented; None without
            any.
        up: bool[H], whether the host is sound and takes jobs now.
        jobs: every job that is not over and that the model has words for, in the order of arrival. `estimate_s` is the
            limit, without one `UNLIMITED_S`, or `NEVER_S` where nothing ends by itself; `runtime_s` says the same, and
            no more than `UNLIMITED_S`. Numbers of users and accounts must not change
            while the engine is open. Of dependencies those that are still open.
        ids: the engine's own name of every job, never used twice.
        tasks: of those jobs, all of them.
        left_out: (id, why) of every job that the model has no words for. What they hold of hosts must be taken off the
            capacity.
        over: jobs that are over, where the engine remembers some; for how long does not matter.
        token: changes when the engine has been restarted or may have forgotten something.
        gone: (host, why) of rented machines that went, or will never come up, without being given back.
        failed: (id, why) of moves that were accepted, and have come to nothing since the last observation.
        awaits: of jobs that wait for others, what for, where the engine tells it. It decides nothing: that such a job
            may not start yet, its `eligible_s` or its dependencies say.
        notes: what a user must know of how this observation was made.
        refused: (id, why) of every job that is held again, as the hosts to which it was pinned cannot serve it.
        rules: constraints between jobs of one task, whose tasks are rows of `jobs`, on the hosts of `cluster`; groups
            of one name are one group.
    """

    at_s: float
    cluster: Cluster | None
    up: Bools
    jobs: Workload
    ids: tuple[str, ...]
    tasks: ObservedTasks
    left_out: tuple[tuple[str, str], ...] = ()
    over: tuple[EndedJob, ...] = ()
    token: str = ""
    gone: tuple[tuple[str, str], ...] = ()
    failed: tuple[tuple[str, str], ...] = ()
    awaits: tuple[Awaits, ...] = ()
    notes: tuple[str, ...] = ()
    refused: tuple[tuple[str, str], ...] = ()
    rules: tuple[BetweenTasks, ...] = ()

    @property
    def hosts(self) -> tuple[str, ...]:
        """The engine's names of the hosts."""
        return () if self.cluster is None else self.cluster.names

    def check(self) -> None:
        """Check that the parts are consistent: for the tests of an adapter.

        Raises:
            InputError: they do not.
        """
        tasks, jobs, hosts = self.tasks, self.jobs, 0 if self.cluster is None else self.cluster.hosts
        if self.cluster is not None:
            self.jobs.check_resources(self.cluster)
        _require(len(self.hosts) == hosts, "cluster.names", "every host needs the engine's name of it")
        _require(len(self.up) == hosts, len(self.up), f"up of {hosts} hosts must be as many")
        _require(len(self.ids) == jobs.jobs, len(self.ids), f"{jobs.jobs} jobs need as many names")
        _require(len(set(self.ids)) == jobs.jobs, "ids", "two jobs have one name")
        _require(
            {each.id for each in self.awaits} <= set(self.ids),
            "awaits",
            "a job that waits for other jobs is among the jobs",
        )
        owner = np.repeat(np.arange(jobs.jobs), jobs.task_count)
        _require(
            np.array_equal(owner, tasks.job), "tasks.job", "every task of every job is listed, in the order of the jobs"
        )
        for name in ("host", "pin"):
            column = getattr(tasks, name)
            _require(bool(((column >= NOWHERE) & (column < hosts)).all()), name, f"no such host; there are {hosts}")
        placed = np.isin(tasks.state, (RUNNING, ENDING))
        _require(bool((tasks.host[placed] >= 0).all()), "tasks.host", "a task that runs has a host")


@dataclass(frozen=True)
class Refusal:
    """Why an action was not done.

    Attributes:
        action: what was asked.
        kind: the job or host is `gone`; we may not (`denied`); it is in another state than the action needs, such as
            a job to start that runs already (`busy`); the hosts cannot serve the job (`unfit`); or it is not known
            whether it was done (`unknown`).
        text: the engine's own words.
    """

    action: Action
    kind: Kind
    text: str = ""

    @property
    def id(self) -> str:
        """The job that the action is about."""
        return job_of(self.action)

    @property
    def what(self) -> str:
        """What was asked, in a word."""
        return type(self.action).__name__.lower()


def job_of(action: Action) -> str:
    """The job or machine that an action is about; empty where it is about none."""
    return str(getattr(action, "id", ""))


class Engine(Protocol):
    """What an adapter has. A lease against a second loadmaster is taken as it is made and given back by `close`."""

    @property
    def name(self) -> str:
        """As on the command line: `slurm`, `kubernetes`, `fake`."""
        ...

    @property
    def can(self) -> Capabilities:
        """What it can do; actions that it cannot do are never asked of it."""
        ...

    def observe(self) -> Observation:
        """List hosts and jobs as they are now; one listing of jobs, since two would contradict each other.

        Raises:
            EngineDown: it does not answer.
        """
        ...

    def act(self, action: Action) -> Refusal | None:
        """Do it, or say why not; None only says that it was accepted. Never waits for a job to run.

        A job that is not held any more must not be started again: that is refused as `busy`, or `gone`.

        Raises:
            EngineDown: it does not answer, so it is not known whether the action was done.
        """
        ...

    def close(self) -> None:
        """Give back what `observe` and `act` needed; jobs stay as they are."""
        ...


@runtime_checkable
class ManualRelease(Protocol):
    """What an engine has besides where jobs that we hold stay held without us, and an operator can free them."""

    def held_of(self, ids: Sequence[str]) -> list[str]:
        """Those of these jobs that we held when it was last observed."""
        ...

    def by_hand(self, ids: Sequence[str]) -> str:
        """The command, as a shell takes it, that hands these jobs to the engine's own scheduler."""
        ...


class Clock(Protocol):
    """The time that an engine goes by; the real one, that of a fake, or of an engine that tells of changes."""

    def now_s(self) -> float:
        """Seconds since the epoch, or since the fake began."""
        ...

    def sleep_until(self, moment_s: float) -> None:
        """Come back at that time, or at once if it is over; an engine that pushes may wake us before."""
        ...


def _require(good: bool, value: object, rule: str) -> None:
    if not good:
        raise InputError(value, rule, where="an observation of the engine")
