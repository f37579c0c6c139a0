"""Many logs like the one at hand, and every rule run on each of them: the same logs for all (rules R1 to R6)."""

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from loadmaster.measure.metric import values_of
from loadmaster.measure.resample import RESAMPLINGS, Sample, without_interval
from loadmaster.measure.scheduled import ScheduledJobs
from loadmaster.model import InputError, Workload
from loadmaster.results.store import Store
from loadmaster.results.study import Cell, CellMaker, Moved, Work, run_study
from loadmaster.results.watch import Watch
from loadmaster.rules.find import Sources
from loadmaster.runs.case import Case, case_of, digest_of_hosts
from loadmaster.runs.one_host import as_one_host
from loadmaster.runs.prepare import key_of_task, one_at_a_time, work_on_case
from loadmaster.runs.setting import Setting, discipline_of, policy_of, sources_of
from loadmaster.sim.queue import simulate_lived
from loadmaster.sim.queue.engine_cost import is_plain_quicker
from loadmaster.traces.fit import held_by

Resampling = Literal["users", "weeks", "shake", "seeds"]
RESAMPLE: tuple[Resampling, ...] = get_args(Resampling)
SEEDS_APART = 1_000_000
"""The logs of `seeds` under seed s of a comparison are made at the seeds from s times this on."""
_ROUNDED = 1e-5
"""SWF keeps memory in whole KB a processor."""


@dataclass(frozen=True)
class Drawing:
    """How samples are drawn.

    Attributes:
        how: users, weeks, shake or seeds.
        seed: of all draws.
    """

    how: Resampling
    seed: int = 0


@dataclass(frozen=True)
class SampleRun:
    """The results of one rule on one sample. Seconds; means are over the jobs that started.

    Attributes:
        jobs: of the sample.
        unstarted: those that never got a host.
        cut: dependencies that the draw parted, and left out.
        values: every metric of the registry by its name, and the user's own; None where there is none.
    """

    jobs: int
    unstarted: int
    cut: int
    values: dict[str, float | None]

    def of(self, metric: str) -> float:
        """One metric; NaN where there is none."""
        value = self.values.get(metric)
        return math.nan if value is None else value

    @property
    def mean_wait_s(self) -> float:
        """The mean wait, which verdicts compare."""
        return self.of("mean_wait_s")

    @property
    def p95_wait_s(self) -> float:
        """The wait that one job in twenty exceeds."""
        return self.of("p95_wait_s")

    @property
    def p99_wait_s(self) -> float:
        """The wait that one job in a hundred exceeds."""
        return self.of("p99_wait_s")

    @property
    def longest_wait_s(self) -> float:
        """The longest."""
        return self.of("longest_wait_s")


class RunOnSample(NamedTuple):
    """One run to make: `setting` on sample number `number`."""

    setting: Setting
    sources: Sources
    drawing: Drawing
    number: int


def drawing_for(case: Case, how: str, seed: int) -> Drawing:
    """How to sample `case`; an empty `how` is `seeds` for a log that can be made again, else `users`, else `shake`.

    Raises:
        InputError: no such way, or not one for this log.
    """
    if how and how not in RESAMPLE:
        raise InputError(how, "no such way to resample", fix=f"one of {', '.join(RESAMPLE)}")
    if how == "seeds" and (why := why_not_seeds(case)):
        raise InputError(how, why, fix="--resample users")
    if not how:
        how = "seeds" if not why_not_seeds(case) else "users"
        if how == "users" and without_interval(case.workload, how):
            how = "shake"
    return Drawing(how, seed)  # type: ignore[arg-type]


@lru_cache(maxsize=4)
def why_not_seeds(case: Case) -> str:
    """Why no other logs of the same generator can be made; empty where they can (rule R3)."""
    recipe = case.recipe
    if recipe is None:
        return "independent logs can be made only of a synthetic log that carries its generator's parameters"
    jobs = case.workload.jobs + case.rejected.total
    if recipe.jobs < jobs:
        return "the parameters of its generator make fewer jobs than it has"
    drawn, log = _generated_jobs(case, recipe.seed), case.workload
    same = (
        drawn.jobs == log.jobs
        and np.array_equal(drawn.submit_s, log.submit_s)
        and np.array_equal(drawn.runtime_s, log.runtime_s)
        and np.array_equal(drawn.task_count, log.task_count)
        and np.allclose(drawn.demand, log.demand, rtol=_ROUNDED)
    )
    return "" if same else "the parameters of its generator, which it carries, do not make this log"


def sampled(case: Case, drawing: Drawing, index: int) -> Sample:
    """Sample number `index`, not yet scaled; it does not depend on the caller, nor on other draws."""
    if drawing.how == "seeds":
        assert case.recipe is not None
        seed = drawing.seed * SEEDS_APART + index
        first_own = case.recipe.seed - drawing.seed * SEEDS_APART
        return Sample(_generated_jobs(case, seed + (0 <= first_own <= index)), 0)  # never the log itself
    rng = np.random.default_rng(np.random.SeedSequence((drawing.seed, index)))
    return RESAMPLINGS[drawing.how](case.workload, rng)


def run_samples(
    case: Case,
    settings: Sequence[Setting],
    drawing: Drawing,
    numbers: Sequence[int],
    store: Store | None,
    pool: CellMaker,
    watch: Watch | None = None,
) -> list[list[SampleRun]]:
    """The runs of every setting on the samples `numbers`, a list a setting; only those not in `store` are made."""
    texts = [sources_of(setting) for setting in settings]
    pairs = [(setting, text) for setting, text in zip(settings, texts, strict=True)]
    tasks = [RunOnSample(setting, text, drawing, number) for number in numbers for setting, text in pairs]
    runs = run_tasks(case, tasks, store, pool, watch)
    return [runs[k :: len(settings)] for k in range(len(settings))]


def run_tasks(
    case: Case, tasks: Sequence[RunOnSample], store: Store | None, pool: CellMaker, watch: Watch | None = None
) -> list[SampleRun]:
    """The run of every task, in their order; only those not in `store` are made."""
    work = one_at_a_time(work_on(case), [task.setting for task in tasks])
    cells = [Cell(_key(work, task), task, _about(case, task), not task.setting.in_process) for task in tasks]
    return run_study(work, cells, store, pool, watch, lambda run: {"mean_wait_s": run.mean_wait_s})


def work_on(case: Case) -> Work[Case, RunOnSample, SampleRun]:
    """Runs on samples of `case`, as studies make them."""
    return work_on_case("sample", "loadmaster.runs.samples", make_run, case, to_bytes, from_bytes)


def make_run(case: Case, task: RunOnSample, moved: Moved) -> SampleRun:
    """Draw the sample, scale it to the load requested, and simulate it."""
    setting = task.setting
    drawn = _cached_sample(case, task.drawing, task.number)
    workload = drawn.workload.scaled(factor) if (factor := _factor(case, task)) != 1.0 else drawn.workload
    discipline = discipline_of(setting, task.sources)
    workload, cluster = as_one_host(workload, case.cluster, discipline)  # the hosts of jobs are not needed
    workload, schedule = simulate_lived(
        workload,
        cluster,
        policy_of(setting, task.sources),
        discipline,
        interval_s=setting.interval_s,
        seed=setting.seed,
        plainly=is_plain_quicker(case.workload),
        estimate_model=setting.estimate_model,
        progress=lambda started, jobs: moved(min(started * case.workload.jobs // max(jobs, 1), case.workload.jobs)),
    )
    jobs = ScheduledJobs(workload, cluster, schedule)
    values = values_of(jobs, setting.metrics, task.sources)
    known = {name: None if math.isnan(value) else value for name, value in values.items()}
    return SampleRun(jobs.jobs, jobs.measures.unstarted, drawn.cut, known)


def to_bytes(run: SampleRun) -> bytes:
    """A run of a sample as it is kept, JSON in UTF-8."""
    return json.dumps(asdict(run)).encode()


def from_bytes(block: bytes) -> SampleRun:
    """The run that `to_bytes` wrote."""
    return SampleRun(**json.loads(block))


@lru_cache(maxsize=8)
def _cached_sample(case: Case, drawing: Drawing, index: int) -> Sample:
    """Samples that several rules run on at about the same time are drawn once."""
    return sampled(case, drawing, index)


def _generated_jobs(case: Case, seed: int) -> Workload:
    """The jobs of the generator at another seed that this cluster can hold; as many as were read of this log."""
    assert case.recipe is not None
    drawn = case.recipe.make(seed)
    jobs = case.workload.jobs + case.rejected.total
    workload = drawn.workload.take(slice(0, jobs))
    workload = _as_processors(workload) if case.several_tasks else workload
    spread: Any = case.spread or "single-host"
    for other in case.among:
        workload = workload.take(held_by(workload, other, spread))
    read = replace(drawn, workload=workload)
    return case_of(read, case.cluster, spread).workload


def _as_processors(workload: Workload) -> Workload:
    """The same jobs as SWF writes them: as many tasks as cores."""
    cores = np.maximum(workload.demand[:, 0], 1.0)
    tasks = (cores * workload.task_count).astype(np.int32)
    return replace(workload, demand=workload.demand / cores[:, None], tasks=tasks)


def _factor(case: Case, task: RunOnSample) -> float:
    """On the times between arrivals, so that the sample offers the load requested: to the first of several machines."""
    paced = case.first or case
    load = paced.load / task.setting.beta
    own = _cached_sample(paced, task.drawing, task.number).workload.offered_load(paced.cluster)
    return own / load if np.isfinite(own) and np.isfinite(load) else 1.0


def _key(work: Work[Case, RunOnSample, SampleRun], task: RunOnSample) -> str:
    case = work.shared
    recipe = case.recipe if task.drawing.how == "seeds" else None
    beside = [case.first.digest] if case.first is not None else []
    beside += [digest_of_hosts(each) for each in case.among] if recipe is not None else []
    return key_of_task(
        work,
        task,
        case=case.digest,
        beside=beside,
        how=task.drawing.how,
        seed=task.drawing.seed,
        number=task.number,
        recipe=None if recipe is None else recipe.text,
    )


def _about(case: Case, task: RunOnSample) -> dict[str, Any]:
    setting = task.setting
    load = case.load / setting.beta
    return {"policy": setting.policy, "discipline": setting.discipline, "load": load, "sample": task.number}
