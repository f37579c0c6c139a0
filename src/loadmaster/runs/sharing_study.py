"""A sharing comparison as a study: a cell a method, each kept at once, so that what was interrupted goes on."""

import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import NamedTuple

from loadmaster.compiled_rules.policies import timing_compilation
from loadmaster.model import Cluster, Workload
from loadmaster.results.block import fields_of, from_row
from loadmaster.results.store import Store
from loadmaster.results.study import Cell, CellMaker, Moved, Work, finished, run_study
from loadmaster.results.watch import Watch
from loadmaster.rules.find import Sources
from loadmaster.rules.imports import imported
from loadmaster.runs.case import Case, digest_of
from loadmaster.runs.prepare import workers_for
from loadmaster.runs.setting import discipline_of, policy_of
from loadmaster.runs.sharing import fractional_problem, run_sharing, timeshared_problem
from loadmaster.runs.sharing_row import SharingRow
from loadmaster.runs.sharing_settings import BATCH_POLICY, SharingSettings, kind_of, queue_setting
from loadmaster.runs.sharing_vms import vm_problem
from loadmaster.sim.fractional import simulation as fractional
from loadmaster.sim.queue import simulation as queue
from loadmaster.sim.queue.engine_cost import MANY_JOBS, is_plain_quicker
from loadmaster.sim.timeshared import simulation as timeshared
from loadmaster.sim.vms import simulation as vms


class MethodToRun(NamedTuple):
    """One method, the policy of its queue if it is one, and the text of the user's files that they come from."""

    method: str
    policy: str
    sources: Sources


class SharingCase(NamedTuple):
    """What all methods run on."""

    case: Case
    settings: SharingSettings


@dataclass(frozen=True)
class SharingStudy:
    """Several methods on the same jobs and hosts under the same settings.

    Attributes:
        case: jobs and hosts.
        methods: each by its name, or `file.py:function`.
        settings: what all have in common.
        policies: placement policies; a batch queue runs once with each.
    """

    case: Case
    methods: Sequence[str]
    settings: SharingSettings
    policies: Sequence[str] = (BATCH_POLICY,)

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """(method, policy) of each row; the policy is empty for what is no batch queue."""
        return [
            (method, policy)
            for method in self.methods
            for policy in (self.policies if kind_of(method) == "batch" else ("",))
        ]

    def run(self, store: Store | None, pool: CellMaker, watch: Watch | None = None) -> list[SharingRow]:
        """A row for each method, in their order; only those not yet in `store` are made."""
        return run_study(self._work, self._cells, store, pool, watch)

    def finished(self, store: Store) -> list[SharingRow]:
        """The rows that `store` has already."""
        return [row for row in finished(self._work, self._cells, store) if row is not None]

    def plain(self, store: Store | None) -> Iterator[tuple[MethodToRun, float]]:
        """Rows not yet in `store` that only a plain engine can make and that take a while; its events a second."""
        done = [None] * len(self._cells) if store is None else finished(self._work, self._cells, store)
        for cell, row in zip(self._cells, done, strict=True):
            method, policy, texts = cell.task
            given = (method, policy, self.case.workload, self.case.cluster, self.settings, texts)
            if row is None and not is_compiled(*given) and (rate := events_a_second(*given)) is not None:
                yield cell.task, rate

    @cached_property
    def _work(self) -> Work[SharingCase, MethodToRun, SharingRow]:
        return Work(
            "share",
            ("loadmaster.runs.sharing",),
            make_row,
            SharingCase(self.case, self.settings),
            from_row,
            row_of,
            prepare=self._prepare,
            workers=workers_for(self.case.workload.jobs),
            steps=self.case.workload.jobs,
        )

    @cached_property
    def _cells(self) -> list[Cell[MethodToRun]]:
        about = {"case": self.case.digest, "users": digest_of(self.case.workload, ("user",)), "settings": self.settings}
        tasks = [MethodToRun(*pair, self.settings.texts(*pair)) for pair in self.pairs]
        keys = [self._work.key(task=task, imported=imported(task.sources.values()), **about) for task in tasks]
        return [Cell(key, task, about_of(task)) for key, task in zip(keys, tasks, strict=True)]

    def _prepare(self, tasks: Sequence[MethodToRun], watch: Watch) -> None:
        workload, cluster = self.case.workload, self.case.cluster
        two, many = workload.take(slice(0, 2)), workload.take(slice(0, MANY_JOBS))
        usual = replace(self.settings, estimates="user", overrun="run")  # the first two jobs may lack a user
        for task in tasks:
            own = (task.method, task.policy, workload, cluster, self.settings, task.sources)
            queued = kind_of(task.method, task.sources) == "batch"
            if queued and is_plain_quicker(workload):
                continue
            if (queued or usual != self.settings) and not is_compiled(*own):
                continue
            few = many if queued else two
            begins = partial(watch.compiling, task.method)
            with watch.preparing(task.method), timing_compilation(begins) as compiled:
                run_sharing(task.method, few, cluster, usual, sources=task.sources, policy=task.policy)
            watch.compiled(sum(each.seconds for each in compiled if each.kept))


def about_of(task: MethodToRun) -> dict[str, str]:
    """Which row it is, for messages and the database."""
    return {"method": task.method, "policy": task.policy} if task.policy else {"method": task.method}


def make_row(shared: SharingCase, task: MethodToRun, moved: Moved) -> SharingRow:
    """Simulate the jobs under one sharing method, and measure them."""
    workload = shared.case.workload

    def watch(done: int, total: int) -> None:  # of whatever the engine counts
        moved(workload.jobs * done // max(total, 1))

    return run_sharing(task.method, workload, shared.case.cluster, shared.settings, watch, task.sources, task.policy)


def row_of(block: bytes) -> SharingRow:
    """Read back the bytes under which a row of `share` was kept."""
    return SharingRow(**fields_of(block))


TRIAL_S = 0.5
"""Seconds for which a plain engine is tried out."""


class _TrialOver(Exception):
    """The trial is over."""


def is_compiled(
    method: str, policy: str, workload: Workload, cluster: Cluster, settings: SharingSettings, sources: Sources
) -> bool:
    """Whether a compiled engine makes the row of `method`, whose batch queue places by `policy`."""
    kind = kind_of(method, sources)
    if kind == "batch":
        setting = queue_setting(method, policy, settings)
        rules = policy_of(setting, sources), discipline_of(setting, sources)
        return queue.is_compiled(workload, cluster, *rules, setting.estimate_model)
    if kind == "fractional":
        return fractional.is_compiled(fractional_problem(workload, cluster, settings, sources))
    if kind == "vms":
        model = settings.model("vms", sources)
        return vms.is_compiled(vm_problem(method, workload, cluster, settings.vm_shares, model))
    return timeshared.is_compiled(timeshared_problem(method, workload, cluster, settings, sources))


def events_a_second(
    method: str, policy: str, workload: Workload, cluster: Cluster, settings: SharingSettings, sources: Sources
) -> float | None:
    """How many events a second a plain engine handles as the run begins; None if the run ends within the trial."""
    seen: list[float] = []  # from the first event on: what is compiled before it is not of the run

    def watch(_done: int, _total: int) -> None:
        seen.append(time.perf_counter())
        if seen[-1] - seen[0] > TRIAL_S:
            raise _TrialOver

    with suppress(_TrialOver):
        run_sharing(method, workload, cluster, settings, watch, sources, policy)
        return None
    return (len(seen) - 1) / (seen[-1] - seen[0])
