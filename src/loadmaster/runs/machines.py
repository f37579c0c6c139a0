"""The same jobs on several sets of machines: what each set is, and the runs on all of them (rules N1 to N3)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from loadmaster.model import Cluster, InputError
from loadmaster.model.gpu_kinds import with_gpu_kinds
from loadmaster.results.store import Store
from loadmaster.results.study import CellMaker
from loadmaster.results.watch import Watch
from loadmaster.runs.case import Case, case_of
from loadmaster.runs.outcome import Outcome
from loadmaster.runs.samples import Drawing, SampleRun, run_samples
from loadmaster.runs.setting import Setting
from loadmaster.runs.site_case import SiteCase
from loadmaster.runs.sweep import sweep
from loadmaster.runs.unenforced_constraints import notes_on_features
from loadmaster.traces import Skipped, SpreadChoice, Trace, fit_by
from loadmaster.traces.fit import held_by, part_of_work

HOUR_S = 3600.0
T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class MachineSet:
    """One of the sets of machines that the jobs run on.

    Attributes:
        name: as the user gave it; empty if it is the only one.
        case: the jobs on it.
        cannot_hold: jobs of the log that it cannot hold; those that any of the sets cannot hold run on none.
        changed: it is a site after a change, and only the site's own queue runs on it.
    """

    name: str
    case: Case
    cannot_hold: int = 0
    changed: bool = False

    @property
    def cost_per_hour(self) -> float | None:
        """What it costs an hour, in the money of its prices; None where they are not known."""
        return self.case.cluster.cost_per_hour

    def cost(self, outcome: Outcome) -> float | None:
        """What it costs from the first arrival until the last job of a run ended (rule N3)."""
        per_hour = self.cost_per_hour
        return None if per_hour is None else per_hour * outcome.metrics.makespan_s / HOUR_S

    def load(self, demand: float) -> float:
        """The load that is offered to it where `demand` is offered to the first set (rule N2)."""
        first = self.case.first
        return demand if first is None else demand * self.case.load / first.load


def machines_of(trace: Trace, sets: Mapping[str, Cluster], spread: SpreadChoice) -> tuple[MachineSet, ...]:
    """The jobs of `trace` that every one of the sets can hold, on each of them: the same jobs, spread alike.

    Raises:
        InputError: no job is held by all of them.
    """
    return _on_sets({name: (trace, cluster) for name, cluster in sets.items()}, spread)


def changed_sites(trace: Trace, sites: Mapping[str, SiteCase], spread: SpreadChoice) -> tuple[MachineSet, ...]:
    """The same of a site and its changes (rule L13), each of which takes the jobs in its own way.

    Args:
        trace: the log.
        sites: by name; the first is the site as it is.
        spread: where the tasks of one job may go.

    Raises:
        InputError: no job is held by all of them.
    """
    sets = _on_sets({name: (at.jobs_of(trace), at.cluster) for name, at in sites.items()}, spread)
    return tuple(replace(one, changed=sites[one.name].change != "") for one in sets)


def _on_sets(given: Mapping[str, tuple[Trace, Cluster]], spread: SpreadChoice) -> tuple[MachineSet, ...]:
    sets = {name: _by_gpu_kind(*each) for name, each in given.items()}
    (trace, first), *_ = sets.values()
    clusters = {name: cluster for name, (_, cluster) in sets.items()}
    chosen = fit_by(spread, trace.workload, first, machines_of_log=False)
    held = {name: held_by(each.workload, cluster, chosen.spread) for name, (each, cluster) in sets.items()}
    everywhere = np.logical_and.reduce(list(held.values()))
    if not everywhere.any():
        raise InputError(
            trace.workload.source or "this log", "none of its jobs can run on every set of --hosts", fix="larger hosts"
        )
    rejected = _rejected(trace, held)
    common = {name: replace(each, workload=each.workload.take(everywhere)) for name, (each, _) in sets.items()}
    machine_sets: list[MachineSet] = []
    without = [name for name, cluster in clusters.items() if notes_on_features(common[name].workload, cluster)]
    unbound: tuple[str, ...] = ()
    if without:
        unbound = notes_on_features(common[without[0]].workload, clusters[without[0]], ", ".join(without))
    for name, cluster in clusters.items():
        case = case_of(common[name], cluster, chosen.spread)
        own = (note for note in case.notes if note not in notes_on_features(common[name].workload, cluster))
        notes = (*own, *([chosen.note] if chosen.note and not machine_sets else []), *unbound)
        case = replace(
            case,
            rejected=rejected,
            notes=notes,
            among=tuple(clusters.values()),
            first=machine_sets[0].case if machine_sets else None,
        )
        machine_sets.append(MachineSet(name, case, int((~held[name]).sum())))
    return tuple(machine_sets)


def _by_gpu_kind(trace: Trace, cluster: Cluster) -> tuple[Trace, Cluster]:
    workload, cluster = with_gpu_kinds(trace.workload, cluster)
    return replace(trace, workload=workload), cluster


def closed_and_open(closed: Case, opened: Case) -> tuple[MachineSet, MachineSet]:
    """The same machines twice: with hosts that close for some time, and with the same hosts open (rule C12)."""
    both = (closed.cluster, opened.cluster)
    first = replace(closed, among=both)
    return MachineSet("closed hosts", first), MachineSet("open hosts", replace(opened, among=both, first=first))


def _rejected(trace: Trace, held: Mapping[str, np.ndarray]) -> Skipped:
    rejected, counted = Skipped(), np.zeros(trace.workload.jobs, bool)
    for name, here in held.items():
        bad = np.asarray(~here & ~counted)
        counted |= bad
        if bad.any():
            first = np.flatnonzero(bad)[: rejected.shown].tolist()
            rejected.add(f"{name} cannot hold it", [trace.workload.id_of(job) for job in first], int(bad.sum()))
    rejected.work = part_of_work(trace.workload, counted)
    return rejected


def on_each(settings: Sequence[Setting], machines: Sequence[MachineSet]) -> list[Setting]:
    """Every setting on every set: the order is load, discipline, machines, policy; one set alone has no name."""
    if len(machines) < 2:
        return list(settings)
    blocks: dict[tuple[float, str], list[Setting]] = {}
    for setting in settings:
        blocks.setdefault((setting.beta, setting.discipline), []).append(setting)
    return [replace(each, hosts=one.name) for block in blocks.values() for one in machines for each in block]


def sweep_machines(
    machines: Sequence[MachineSet],
    settings: Sequence[Setting],
    store: Store | None,
    pool: CellMaker,
    *,
    check: bool = False,
    watch: Watch | None = None,
) -> list[Outcome]:
    """The outcome of every setting on the machines that it names; `load` of each is the one asked of the first set."""

    def run(one: MachineSet, mine: list[Setting]) -> list[Outcome]:
        return sweep(one.case, mine, store, pool, check=check, watch=watch)

    first = machines[0].case
    return [
        replace(outcome, load=first.load / outcome.setting.beta) for outcome in _by_machines(machines, settings, run)
    ]


def sample_machines(
    machines: Sequence[MachineSet],
    settings: Sequence[Setting],
    drawing: Drawing,
    numbers: Sequence[int],
    store: Store | None,
    pool: CellMaker,
    watch: Watch | None = None,
) -> list[list[SampleRun]]:
    """As `run_samples`, every setting on the machines that it names: all on the same samples."""

    def run(one: MachineSet, mine: list[Setting]) -> list[list[SampleRun]]:
        return run_samples(one.case, mine, drawing, numbers, store, pool, watch)

    return _by_machines(machines, settings, run)


def _by_machines(
    machines: Sequence[MachineSet], settings: Sequence[Setting], run: Callable[[MachineSet, list[Setting]], list[T]]
) -> list[T]:
    """What `run` makes of the settings of each set, in the order of the settings."""
    by_setting: dict[Setting, T] = {}
    for one in machines:
        mine = [setting for setting in settings if setting.hosts == one.name]
        by_setting |= dict(zip(mine, run(one, mine), strict=True)) if mine else {}
    return [by_setting[setting] for setting in settings]
