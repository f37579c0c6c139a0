"""Rows of a sharing comparison that only the plain engines can make, and the rate at which those begin."""

import time
from contextlib import suppress

from loadmaster.model import Cluster, Workload
from loadmaster.rules.find import Sources
from loadmaster.runs.setting import discipline_of, policy_of
from loadmaster.runs.sharing import fractional_problem, run_sharing, timeshared_problem
from loadmaster.runs.sharing_settings import SharingSettings, kind_of, queue_setting
from loadmaster.runs.sharing_vms import vm_problem
from loadmaster.sim.fractional import door as fractional
from loadmaster.sim.queue import door as queue
from loadmaster.sim.timeshared import door as timeshared
from loadmaster.sim.vms import door as vms

TRIAL_S = 0.5
"""Seconds for which a plain engine is tried out."""


class _Enough(Exception):
    """The trial is over."""


def is_compiled(
    method: str, policy: str, workload: Workload, cluster: Cluster, settings: SharingSettings, sources: Sources
) -> bool:  # fmt: skip
    """Whether a compiled engine makes the row of `method`, whose batch queue places by `policy`."""
    kind = kind_of(method, sources)
    if kind == "batch":
        setting = queue_setting(method, policy, settings)
        rules = policy_of(setting, sources), discipline_of(setting, sources)
        return queue.is_compiled(workload, cluster, *rules, setting.foresight)
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
            raise _Enough

    with suppress(_Enough):
        run_sharing(method, workload, cluster, settings, watch, sources, policy)
        return None
    return (len(seen) - 1) / (seen[-1] - seen[0])
