"""A real site as runs take it: its hosts with all that binds there, its jobs, and its own queue (rule L9)."""

from dataclasses import dataclass, replace
from pathlib import Path

from loadmaster.model import Cluster
from loadmaster.site import Site, read_accounts, read_site
from loadmaster.site.discipline import discipline_of_site
from loadmaster.site.jobs import jobs_at
from loadmaster.site.rules import cluster_of
from loadmaster.traces import Trace

LIGHTEST, LEAST_LOADED = "first-fit", "worse-fit-cores"
"""How Slurm chooses hosts: by Weight, which is the order of our hosts, or those with most processors free."""


@dataclass(frozen=True, eq=False)
class AtSite:
    """What `--site` stands for.

    Attributes:
        site: as it was read.
        cluster: hosts and rules, which bind every run.
        policy: the site's own placement; discipline: its own queue, written out. They make only the row `site`.
        notes: what a user must know, one sentence each.
    """

    site: Site
    cluster: Cluster
    policy: str
    discipline: str
    notes: tuple[str, ...]

    def jobs_of(self, trace: Trace) -> Trace:
        """`trace` with its jobs as the site takes them."""
        workload, notes = jobs_at(self.site, trace.workload)
        bound, several = workload.constraints, int((workload.task_count > 1).sum())
        unsaid = several and (bound is None or bound.min_hosts is None)
        together = (_TOGETHER.format(several),) if unsaid else ()
        return replace(trace, workload=workload, notes=(*trace.notes, *self.notes, *notes, *together))


def at_site(path: Path, accounts: Path | None = None) -> AtSite:
    """Read a site's `slurm.conf` and, where it is given, what its accounting database says.

    Raises:
        InputError: one of them cannot be read, or a value breaks its rule.
    """
    site = read_site(path)
    modelled = cluster_of(site, None if accounts is None else read_accounts(accounts, site.cluster))
    discipline, left_out = discipline_of_site(site)
    least_loaded = site.selection.least_loaded or any(part.least_loaded for part in site.partitions)
    notes = [*modelled.notes, _OWN]
    if left_out:
        notes.append(f"Of the site's queue not modelled: {', '.join(left_out)}.")
    return AtSite(site, modelled.cluster, LEAST_LOADED if least_loaded else LIGHTEST, discipline, tuple(notes))


_TOGETHER = (
    "{:,} jobs have several tasks, and the log does not say on how many hosts: they may share one here, and their "
    "waits may be longer in Slurm."
)
_OWN = (
    "Hosts, partitions and limits of the site bind every run; its order, backfilling and weights make only the row "
    "site, which decides at every event."
)
