"""A real site as a case for runs: hosts with their constraints, jobs, and the site's own queue (rule L9)."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from loadmaster.model import Cluster, InputError
from loadmaster.runs.case import digest_of_hosts
from loadmaster.runs.launch import held_longer
from loadmaster.runs.setting import SITE, Setting, discipline_of, policy_of, sources_of
from loadmaster.runs.unknown_names import refuse_unknown_names, unknown_names
from loadmaster.site.accounts import Accounts, read_accounts
from loadmaster.site.changes import ChangeStep, SiteChange, changed_lines
from loadmaster.site.discipline import discipline_of_site
from loadmaster.site.fitted_queue import FittedSite, SiteQueue, is_fitted, read_fitted_queue
from loadmaster.site.job_scope import JobScope, counted
from loadmaster.site.jobs import jobs_at
from loadmaster.site.lines import read_lines
from loadmaster.site.machines import read_machines
from loadmaster.site.rules import cluster_of
from loadmaster.site.site import Site, site_of_lines
from loadmaster.traces import SpreadChoice, Trace
from loadmaster.traces.host_files import read_host_file

LIGHTEST, LEAST_LOADED = "first-fit", "worse-fit-cores"
"""How Slurm chooses hosts: by Weight, which is the order of our hosts, or those with most processors free."""


@dataclass(frozen=True, eq=False)
class SiteCase:
    """What `--site` stands for.

    Attributes:
        site: its `slurm.conf`; None where none is known.
        cluster: hosts and rules, which bind every run.
        policy: the site's own placement; queue: its own queue. They make only the row `site`, all but the time that
            jobs hold their hosts beyond their runtime, which is so in every run.
        notes: what a user must know, one sentence each.
        spread: where the tasks of one job may go, by default.
        fitted: the queue was found by a fit, not read.
        change: what of the site was changed, as `--what-if` takes it; empty where nothing was.
        unmodelled: what of the site and of its queue is not modelled, and the jobs that each concerns.
    """

    site: Site | None
    cluster: Cluster
    policy: str
    queue: SiteQueue
    notes: tuple[str, ...]
    spread: SpreadChoice = "asked"
    fitted: bool = False
    change: str = ""
    unmodelled: Mapping[str, JobScope] = field(default_factory=dict)

    @property
    def discipline(self) -> str:
        """The site's own queue, written out."""
        return self.queue.discipline

    def own(self, setting: Setting) -> Setting:
        """`setting` under the site's own queue."""
        estimates = self.queue.estimates if self.fitted else setting.estimates
        return replace(setting, discipline=SITE, site=self.discipline, estimates=estimates)

    def jobs_of(self, trace: Trace) -> Trace:
        """`trace` with its jobs as the site takes them."""
        workload, notes = trace.workload, [*trace.notes, *self.notes]
        if self.site is not None:
            workload, more = jobs_at(self.site, workload)
            rules = self.cluster.rules
            unmodelled = counted(self.unmodelled, workload, "" if rules is None else rules.default_partition)
            refuse_unknown_names(workload, self.cluster.rules)
            bound, several = workload.constraints, int((workload.task_count > 1).sum())
            unsaid = several and (bound is None or bound.min_hosts is None)
            notes += [
                *filter(None, [unmodelled]),
                *more,
                *unknown_names(workload, self.cluster.rules),
                *([_TOGETHER.format(several)] if unsaid else []),
            ]
        workload = held_longer(workload, self.queue.launch_s)
        return replace(trace, workload=workload, notes=tuple(notes), recipe=None)


def site_case(
    path: Path,
    accounts: Path | None = None,
    hosts: str | Path | Cluster | None = None,
    change: SiteChange | None = None,
) -> SiteCase:
    """Read a site's `slurm.conf` and, where it is given, what its accounting database says; or what a fit wrote.

    Args:
        path: of either.
        accounts: beside a `slurm.conf`.
        hosts: in place of those that a fit names.
        change: of a `slurm.conf`, before it is used (rule L13).

    Raises:
        InputError: one of them cannot be read, a value breaks its rule, or a step of the change changes nothing.
    """
    if is_fitted(path):
        if change is not None:
            fix = "give the slurm.conf of the site, or machines with --hosts"
            raise InputError(change.name, "a site that was fitted cannot be changed", fix=fix)
        if accounts is not None:
            fix = "leave out --site-accounts"
            raise InputError(accounts, "a site that was fitted names its own accounts", fix=fix)
        return _at_fitted(path, read_fitted_queue(path), hosts)
    lines = read_lines(path)
    site = site_of_lines(path, lines)
    database = None if accounts is None else read_accounts(accounts, site.cluster)
    case = _case_of(site, database)
    sentences = []
    if change is not None:
        change.refuse_some_prices()
    for step in () if change is None else change.steps:
        lines, sentence = changed_lines(path, lines, step)
        changed = _case_of(site_of_lines(path, lines), database)
        _refuse_no_change(step, case, changed)
        sentences.append(sentence)
        case = changed
    return replace(case, notes=(*sentences, *case.notes), change="" if change is None else change.name)


def _case_of(site: Site, accounts: Accounts | None) -> SiteCase:
    modelled = cluster_of(site, accounts)
    discipline, left_out = discipline_of_site(site)
    notes = (*modelled.facts, _OWN)
    unmodelled = {**modelled.unmodelled, **left_out}
    return SiteCase(site, modelled.cluster, _placement(site), SiteQueue(discipline), notes, unmodelled=unmodelled)


def _refuse_no_change(step: ChangeStep, before: SiteCase, after: SiteCase) -> None:
    """See that a step changes the model.

    Raises:
        InputError: the site is so already, or the model does not use what is set.
    """
    assert before.site is not None
    assert after.site is not None
    if _parts_of_model(before) != _parts_of_model(after):
        return
    if replace(after.site, digest=before.site.digest) == before.site:
        raise InputError(step.text, "the site is so already", fix="leave it out, or give another value")
    rule = "this changes nothing in the model of the site"
    raise InputError(step.text, rule, fix="leave it out, or first set what it depends on (PriorityType, SchedulerType)")


def _parts_of_model(case: SiteCase) -> tuple[object, ...]:
    """All by which a site acts on a run."""
    assert case.site is not None
    of_jobs = [(part.name, part.memory, part.default_time_s, part.default) for part in case.site.partitions]
    amounts = case.site.memory, case.site.selection.memory, of_jobs
    return digest_of_hosts(case.cluster), case.policy, case.discipline, amounts


def _at_fitted(path: Path, fitted: FittedSite, hosts: str | Path | Cluster | None) -> SiteCase:
    try:
        own = Setting(fitted.policy, SITE, site=fitted.queue.discipline, estimates=fitted.queue.estimates)
        sources = sources_of(own)
        policy_of(own, sources), discipline_of(own, sources), own.estimate_model
    except InputError as error:
        raise InputError(error.value, error.rule, fix=error.fix, where=error.where or str(path)) from None
    launch_s = fitted.queue.launch_s
    notes = [_FITTED, *([_HELD.format(launch_s)] if launch_s else [])]
    if fitted.slurm_conf:
        if hosts is not None:
            raise InputError("--hosts", "the site names its own machines", fix="leave out --hosts")
        accounts = path.parent / fitted.accounts if fitted.accounts else None
        base = site_case(path.parent / fitted.slurm_conf, accounts)
        base_notes = [note for note in base.notes if note != _OWN]
        return replace(base, policy=fitted.policy, queue=fitted.queue, notes=(*base_notes, *notes), fitted=True)
    return SiteCase(
        None, _machines(path, fitted, hosts), fitted.policy, fitted.queue, tuple(notes), fitted.spread or "auto", True
    )


def _machines(path: Path, fitted: FittedSite, hosts: str | Path | Cluster | None) -> Cluster:
    if isinstance(hosts, Cluster):
        return hosts
    if hosts is not None:
        return read_machines(hosts)
    if not isinstance(fitted.hosts, str):
        return read_host_file(path)  # groups of hosts, as such a file has them
    beside = path.parent / fitted.hosts
    return read_machines(beside if beside.is_file() else fitted.hosts)


def own_rule(site: Site) -> Setting:
    """What a site does by itself, as far as the model has words: its placement under its own queue, at every event."""
    return Setting(_placement(site), SITE, site=discipline_of_site(site)[0], interval_s=0.0)


def _placement(site: Site) -> str:
    least_loaded = site.selection.least_loaded or any(part.least_loaded for part in site.partitions)
    return LEAST_LOADED if least_loaded else LIGHTEST


_TOGETHER = (
    "{:,} jobs have several tasks, and the log does not say on how many hosts: they may share one here, and their "
    "waits may be longer in Slurm."
)
_OWN = (
    "Hosts, partitions and limits of the site bind every run; its order, backfilling and weights make only the row "
    "site."
)
_FITTED = "The site's queue was found by a fit; its order, backfilling, cycle and estimates make only the row site."
_HELD = "Every job holds its hosts {:g} s beyond its runtime, in every run, as the fit of the site found it."
