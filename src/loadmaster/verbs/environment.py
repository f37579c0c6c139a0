"""`Environment`: a cluster that an agent drives, one decision at a time (rules G1 to G8)."""

from collections.abc import Callable
from dataclasses import dataclass
from operator import index
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadmaster.verbs.log_options import LogOptions
from loadmaster.verbs.option import Option
from loadmaster.verbs.rules import Rule

if TYPE_CHECKING:
    from loadmaster.measure.scheduled import ScheduledJobs
    from loadmaster.model import Schedule, Workload
    from loadmaster.sim.queue.engine.environment_run import EnvironmentRun

MOST_ROWS = 100_000
"""More waiting jobs than that are no view."""


@dataclass(frozen=True, kw_only=True)
class EnvironmentOptions(LogOptions):
    """All that an environment can be told."""

    policy: Annotated[Rule, Option("Placement policy: the host of a job where an action names none.")] = "first-fit"
    window: Annotated[int, Option("Waiting jobs that the agent sees, by arrival.", least=1, most=MOST_ROWS)] = 64
    reward: Annotated[
        "str | Callable[[ScheduledJobs], float]", Option("Metric of the registry, or a function of `ScheduledJobs`.")
    ] = "mean_wait_s"
    promises: Annotated[bool, Option("No start delays the first job that cannot start, as under EASY.")] = False
    choose_host: Annotated[bool, Option("An action is (row, host), and all tasks go to that host.")] = False
    episode_jobs: Annotated[
        int | None, Option("Jobs of an episode, from a place of the log that the seed draws; all.", least=1)
    ] = None
    interval_s: Annotated[float, Option("Seconds between decisions; 0: at every event.", least=0.0)] = 0.0

    @property
    def not_closed(self) -> str:
        """What needs to know before when jobs arrive."""
        return "an environment"


class AgentObservation(NamedTuple):
    """What an agent sees. The arrays are filled in place: copy what you keep.

    Attributes:
        jobs: float64[W, 3 + R], the first W waiting jobs by arrival: seconds waited, expected runtime in seconds,
            tasks, demand of one task for each resource; 0 in rows without a job.
        row: int64[W], number of the job in each row, -1 in rows without a job.
        startable: bool[W + 1]: the job can start now; the last: the action that starts nothing is allowed.
        hosts: float64[H, R], what is free of each host.
        clock: float64[3]: the moment in seconds of the log; the last reward; when the promised start is due, infinite
            where no job has a promise.
    """

    jobs: NDArray[np.float64]
    row: NDArray[np.int64]
    startable: NDArray[np.bool_]
    hosts: NDArray[np.float64]
    clock: NDArray[np.float64]


class Environment:
    """A log and its hosts, driven by an agent: at each decision it starts a waiting job, or nothing.

    An action is the row of a job, or `window` for nothing. A decision comes at each event at which a job of the view
    can start. Several jobs may start at one moment: after each start the agent is asked again.

    Args:
        options: as `EnvironmentOptions` has them; the log and its hosts first.

    Attributes:
        options: of the environment.
        resources: names of the R resources.
        capacity: float64[H, R], of each host.
        is_done: the episode is over.

    Raises:
        InputError: the log or the hosts cannot be used, a rule binds its jobs, or the reward has no direction.

    Example:
        >>> from loadmaster.model import Cluster, Workload
        >>> log = Workload.of(submit_s=[0, 0, 0], runtime_s=[30, 10, 10], cores=[2, 1, 1])
        >>> env = Environment(log, Cluster.uniform(1, cores=2), window=4)
        >>> seen = env.reset()
        >>> while not env.is_done:  # the shortest job first
        ...     shortest = np.where(seen.startable[:4], seen.jobs[:, 1], np.inf).argmin()
        ...     seen, reward, done = env.step(shortest)
        >>> env.schedule().start_s.tolist(), env.metric("mean_wait_s")
        ([10.0, 0.0, 0.0], 3.3333333333333335)
    """

    def __init__(self, *log: Any, **options: Any) -> None:
        from loadmaster.measure.metric import metric_named
        from loadmaster.place.load import policy_named
        from loadmaster.rules.by_value import naming
        from loadmaster.sim.queue.simulation import check_rules
        from loadmaster.verbs.rules import name_of

        self.options = EnvironmentOptions(*log, **options)
        self.options.refuse_reading()
        if not isinstance(self.options.window, int):
            raise _no_rows(self.options.window)
        case = self.options.case()
        _refuse_bound(case.workload, case.cluster, self.options)
        self._log, self._cluster, self.notes = case.workload, case.cluster, case.notes
        self.resources, self.capacity = case.cluster.resources, case.cluster.capacity
        with naming() as name:
            self._policy = policy_named(name_of(self.options.policy, name))
            check_rules(self._log, self._cluster, self._policy, _first_come())
        reward = self.options.reward
        self._own_reward = None if isinstance(reward, str) else reward
        self._metric = metric_named(reward) if isinstance(reward, str) else None
        if self._metric is not None and not self._metric.better:
            raise _no_direction(self._metric.name)
        self._run: EnvironmentRun | None = None
        self._episode: Workload = self._log
        self.is_done = True

    def __repr__(self) -> str:
        hosts = f"{len(self.capacity)} host{'s' if len(self.capacity) != 1 else ''}"
        return f"<Environment: episodes of {self.jobs:,} jobs over {hosts}, {self.options.window} rows>"

    @property
    def jobs(self) -> int:
        """How many jobs an episode has."""
        return min(self.options.episode_jobs or self._log.jobs, self._log.jobs)

    def reset(self, seed: int = 0) -> AgentObservation:
        """Begin an episode, and go to its first decision.

        Args:
            seed: draws the part of the log, and is that of a policy that draws.

        Raises:
            InputError: the policy cannot be compiled.
        """
        from loadmaster.sim.queue.engine.environment_run import PAID_AT_STARTS, EnvironmentRun

        self._episode = self._drawn(seed)
        metric = "" if self._metric is None else self._metric.name
        options = self.options
        self._run = run = EnvironmentRun(
            self._episode,
            self._cluster,
            self._policy,
            options.window,
            promises=options.promises,
            metric=metric,
            interval_s=options.interval_s,
            seed=seed,
        )
        self.is_done, self._pays_at_end = run.is_done, metric not in PAID_AT_STARTS
        view = run.view
        self._seen = AgentObservation(view.jobs, view.row, view.startable, run.free, view.clock)
        self._reward_of = view.clock.item
        return self._seen

    def step(self, action: int | tuple[int, int]) -> tuple[AgentObservation, float, bool]:
        """Carry an action out, and go on to the next decision: (what is seen there, reward, the episode is over).

        An action that requests a job that cannot start starts nothing (`refused`). Where nothing runs and no job is to
        arrive, an action that starts nothing starts the first job that can.

        Raises:
            InputError: the episode is over, or was never begun, or the action is no whole number.
        """
        run = self._run
        if run is None or self.is_done:
            raise _over("step")
        try:
            row, host = action if self.options.choose_host else (action, -1)  # type: ignore[misc]
            row, host = index(row), index(host)  # type: ignore[arg-type]
        except TypeError as error:
            raise _no_action(action, self.options.choose_host) from error
        run.step(row, host)
        reward: float = self._reward_of(1)
        if run.is_done:
            self.is_done = True
            if self._pays_at_end:
                reward = self._final_reward()
        return self._seen, reward, self.is_done

    @property
    def startable(self) -> NDArray[np.bool_]:
        """bool[W + 1]: as in the last observation."""
        return self._seen.startable

    @property
    def refused(self) -> bool:
        """Whether the last action requested a job that could not start."""
        return self._run is not None and bool(self._run.view.number[5])

    def schedule(self) -> "Schedule":
        """What has happened in this episode."""
        if self._run is None:
            raise _over("schedule")
        return self._run.schedule()

    def scheduled(self) -> "ScheduledJobs":
        """The episode as metrics see it."""
        from loadmaster.measure.scheduled import ScheduledJobs

        return ScheduledJobs(self._episode, self._cluster, self.schedule())

    def metric(self, name: str) -> float:
        """A metric of the registry over this episode.

        Raises:
            InputError: no such metric.
        """
        from loadmaster.measure.metric import metric_named

        return float(metric_named(name).of(self.scheduled()))

    def gym(self) -> Any:
        """The environment as Gymnasium knows them, a `gymnasium.Env`.

        Raises:
            MissingExtra: Gymnasium is not installed.
        """
        from loadmaster.verbs.gym_environment import gym_environment

        return gym_environment(self)

    def _drawn(self, seed: int) -> "Workload":
        """The jobs of the episode with this seed."""
        if self.jobs == self._log.jobs:
            return self._log
        first = int(np.random.default_rng(seed).integers(self._log.jobs - self.jobs + 1))
        return self._log.take(slice(first, first + self.jobs))

    def _final_reward(self) -> float:
        """The metric of the whole episode, as a gain; a function of the user's own is paid as it is."""
        jobs = self.scheduled()
        if self._own_reward is not None:
            return float(self._own_reward(jobs))
        assert self._metric is not None
        value = self._metric.of(jobs)
        return value if self._metric.better == "higher" else -value


def _first_come() -> Any:
    from loadmaster.scheduling import discipline_named

    return discipline_named("skip")


def _refuse_bound(workload: "Workload", cluster: Any, options: EnvironmentOptions) -> None:
    from loadmaster.model import InputError
    from loadmaster.scheduling.resolved_constraints import binds
    from loadmaster.sim.queue.card_runs import refuse_cards

    source = workload.source or "this log"
    if binds(workload, cluster):
        rule = "partitions, limits or dependencies bind its jobs, and an environment has none"
        raise InputError(source, rule, fix='leave them out: ignore="all"')
    if workload.starting is not None:
        raise InputError(source, "jobs run as it begins, and an environment begins with empty hosts")
    refuse_cards(workload, cluster, "an environment")
    if options.promises and options.choose_host:
        rule = "the policy chooses the hosts where a job has a promise"
        raise InputError("choose_host", rule, fix="leave out promises or choose_host")


def _no_rows(window: object) -> Exception:
    from loadmaster.model import InputError

    return InputError(str(window), "window is a whole number of waiting jobs", fix="window=64")


def _no_direction(metric: str) -> Exception:
    from loadmaster.model import InputError

    rule = "neither more nor less of this metric is better, so it is no reward"
    return InputError(metric, rule, fix="give a function of ScheduledJobs that is higher for better schedules")


def _no_action(action: object, choose_host: bool) -> Exception:
    from loadmaster.model import InputError

    rule = "an action is a pair of whole numbers, (row, host)" if choose_host else "an action is a whole number, a row"
    return InputError(str(action), rule, fix="window as the row starts nothing")


def _over(method: str) -> Exception:
    from loadmaster.model import InputError

    return InputError(method, "there is no episode under way", fix="call reset() first")
