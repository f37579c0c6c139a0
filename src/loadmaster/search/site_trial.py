"""One trial of a fit: a log run under a guess of its site's queue, by week and by hour."""

from dataclasses import asdict
from hashlib import blake2b, sha256
from typing import NamedTuple

import numpy as np

from loadmaster.measure.goodness_of_fit import Weekly, weekly
from loadmaster.results.block import arrays_of, from_arrays
from loadmaster.results.study import Cell, Moved, Work
from loadmaster.rules.find import Sources
from loadmaster.rules.imports import imported
from loadmaster.runs.case import Case
from loadmaster.runs.launch import held_longer
from loadmaster.runs.one_host import as_one_host
from loadmaster.runs.prepare import work_on_case
from loadmaster.runs.setting import SITE, Setting, discipline_of, policy_of, sources_of
from loadmaster.sim.queue import simulate
from loadmaster.site.fitted_queue import SiteQueue


class QueueTrial(NamedTuple):
    """A guess to try: which hosts are taken, how the queue is served, and the text of the user's files."""

    policy: str
    queue: SiteQueue
    sources: Sources

    @property
    def setting(self) -> Setting:
        """The run of the row `site` that this guess stands for."""
        queue = self.queue
        return Setting(self.policy, SITE, interval_s=queue.interval_s, site=queue.discipline, estimates=queue.estimates)


def trial_of(policy: str, queue: SiteQueue) -> QueueTrial:
    """The trial of a guess.

    Raises:
        InputError: no such policy, discipline or estimates, or a file of the user's cannot be read.
    """
    trial = QueueTrial(policy, queue, {})
    trial = trial._replace(sources=sources_of(trial.setting))
    policy_of(trial.setting, trial.sources)
    discipline_of(trial.setting, trial.sources)
    return trial


def trials_on(case: Case) -> Work[Case, QueueTrial, Weekly]:
    """Trials on the jobs and hosts of `case`, as studies make them."""
    return work_on_case("fit", "loadmaster.search.site_trial", make_trial, case, to_bytes, from_bytes)


def cell_of(work: Work[Case, QueueTrial, Weekly], trial: QueueTrial) -> Cell[QueueTrial]:
    """The cell of a study that makes `trial`."""
    recorded_s = work.shared.workload.recorded_wait_s
    assert recorded_s is not None
    sources = {path: sha256(text.encode()).hexdigest() for path, text in trial.sources.items()}
    key = work.key(
        policy=trial.policy,
        queue=asdict(trial.queue),
        sources=sources,
        imported=imported(trial.sources.values()),
        case=work.shared.digest,
        known=blake2b(np.isfinite(recorded_s).tobytes(), digest_size=8).hexdigest(),
    )
    return Cell(key, trial, {"queue": trial.queue.words})


def make_trial(case: Case, trial: QueueTrial, moved: Moved) -> Weekly:
    """Run the whole log under a guess; the waits of those jobs are measured whose recorded wait is known."""
    setting = trial.setting
    discipline = discipline_of(setting, trial.sources)
    held = held_longer(case.workload, trial.queue.launch_s)
    workload, cluster = as_one_host(held, case.cluster, discipline)
    schedule = simulate(
        workload,
        cluster,
        policy_of(setting, trial.sources),
        discipline,
        interval_s=setting.interval_s,
        seed=setting.seed,
        progress=lambda started, _jobs: moved(started),
        estimate_model=setting.estimate_model,
    )
    assert case.workload.recorded_wait_s is not None
    wait_s = schedule.begin_s - case.workload.submit_s
    return weekly(case.workload, np.where(np.isfinite(case.workload.recorded_wait_s), wait_s, np.nan))


def to_bytes(weeks: Weekly) -> bytes:
    """A result as one block."""
    return from_arrays({"mean_wait_s": weeks.mean_wait_s, "jobs": weeks.jobs, "queue": weeks.queue})


def from_bytes(block: bytes) -> Weekly:
    """What `to_bytes` wrote."""
    return Weekly(**arrays_of(block))
