"""Admission: which jobs must be refused so that every other one keeps a yield of at least y."""

import time
from dataclasses import dataclass, replace

import numpy as np

from loadmaster.model.arrays import Bools, Floats, Longs
from loadmaster.model.errors import InputError
from loadmaster.packing.deadline import Deadline
from loadmaster.packing.fewer_tasks import without
from loadmaster.packing.instance import Instance
from loadmaster.packing.level import fits
from loadmaster.packing.packing import Attempt, Packing
from loadmaster.packing.shortfall import fits_nowhere
from loadmaster.packing.solve import Packer, PackOptions, attempt_by, finish, packer_named

MOST_RETRIES = 50
"""Jobs behind the first that does not fit that are tried once more, one by one."""


@dataclass(frozen=True, eq=False)
class Admission:
    """The jobs that are let in, and where they run.

    Attributes:
        admitted: bool[J], the jobs let in.
        instance: their tasks alone, in their order, each job promised the yield.
        packing: of `instance`; every job in it has the yield. Infeasible if no job can be let in.
    """

    admitted: Bools
    instance: Instance
    packing: Packing


def admit(
    instance: Instance, least_yield: float, method: str = "mcb8", options: PackOptions = PackOptions()
) -> Admission:
    """Let in as many jobs as a bisection finds, the easiest first, so that each of them keeps `least_yield`.

    The yield is promised to every job, as a guarantee, so that no weight can take it away, and the jobs let in are
    those that `method` itself can pack. A method that works until its time is up is asked only once, at the end: MCB8
    chooses the jobs for it, and what MCB8 found stands where it finds nothing in its time.

    Jobs are ranked by what they request: the sum over tasks of the largest relative demand at that yield, divided by
    the job's weight. After the longest prefix that packs, the next 50 jobs are tried one by one in that order.

    Raises:
        InputError: `least_yield` is not in (0, 1], or no such packer.

    Example:
        >>> three = Instance.of(1, cpu=[0.5, 0.5, 1.0], memory=[0.1, 0.1, 0.1])
        >>> admission = admit(three, 0.9)
        >>> admission.admitted.tolist(), admission.packing.min_yield
        ([True, True, False], 1.0)
    """
    if not 0 < least_yield <= 1:
        raise InputError(least_yield, "the yield to keep must be more than 0 and at most 1")
    packer = packer_named(method)
    chooser = packer_named("mcb8") if packer.timed else packer
    start, deadline = time.perf_counter(), Deadline.after(options.time_limit_s)
    promised = replace(instance, guarantee=_raised(instance, least_yield))
    admitted, attempt = _longest_prefix(promised, chooser, options, deadline.share(0.5) if packer.timed else deadline)
    let_in = without(promised, ~admitted)
    if attempt is None:
        late = deadline.passed()
        reason = f"{chooser.name} can give no job a yield of {least_yield:g}, not even alone"
        reason = f"the {options.time_limit_s:g} s were up before any job was let in" if late else reason
        attempt = Attempt(None, "limit" if late else "infeasible", chooser.name, reason=reason)
    elif packer.timed:
        attempt = _improved(let_in, attempt, packer, _within(options, deadline))
    packing = finish(let_in, attempt)
    return Admission(admitted, let_in, replace(packing, seconds=time.perf_counter() - start))


def _raised(instance: Instance, least_yield: float) -> Floats:
    own = np.zeros(instance.jobs) if instance.guarantee is None else instance.guarantee
    return np.maximum(own, least_yield)


def _longest_prefix(
    promised: Instance, packer: Packer, options: PackOptions, deadline: Deadline
) -> tuple[Bools, Attempt | None]:
    """bool[J]: the longest prefix of the jobs that `packer` packs, easiest first, then others that fit; its packing.

    When the time is up it is the longest prefix known by then.
    """
    order = _easiest_first(promised)
    best = None
    low, high = 0, len(order)
    while low < high and not deadline.passed():
        middle = (low + high + 1) // 2
        attempt = _packing_of(promised, order[:middle], packer, _within(options, deadline))
        if attempt is not None:
            low, best = middle, attempt
        else:
            high = middle - 1
    chosen = order[:low]
    for job in order[low : low + MOST_RETRIES]:
        if deadline.passed():
            break
        attempt = _packing_of(promised, np.append(chosen, job), packer, _within(options, deadline))
        if attempt is not None:
            chosen, best = np.append(chosen, job), attempt
    if best is not None and deadline.passed():
        best = replace(best, notes=(*best.notes, "the time was up before all jobs were tried: more may fit"))
    return np.isin(np.arange(promised.jobs), chosen), best


def _within(options: PackOptions, deadline: Deadline) -> PackOptions:
    """The options with the time that is left."""
    return replace(options, time_limit_s=max(deadline.left_s(), 0.01))


def _easiest_first(promised: Instance) -> Longs:
    """int64[N]: jobs by what they request over their weight, without those that fit on no host even when empty."""
    size = promised.scaled.hard.max(axis=1, initial=0.0)
    asked: Floats = np.zeros(promised.jobs) + np.bincount(promised.job_of, weights=size, minlength=promised.jobs)
    if promised.weight is not None:
        asked = asked / promised.weight
    order = np.argsort(asked, kind="stable")
    return order[~np.isin(order, promised.job_of[fits_nowhere(promised)])]


def _packing_of(promised: Instance, jobs: Longs, packer: Packer, options: PackOptions) -> Attempt | None:
    """What `packer` makes of these jobs alone; None if a task or a promise finds no room."""
    let_in = without(promised, ~np.isin(np.arange(promised.jobs), jobs))
    attempt = attempt_by(packer, let_in, options)
    return attempt if attempt.host is not None and fits(let_in, attempt.host) else None


def _improved(let_in: Instance, found: Attempt, packer: Packer, options: PackOptions) -> Attempt:
    """What the timed `packer` makes of the jobs let in, or what was found already, with a note that says so.

    Where all weights are equal and nothing else is promised, the highest level keeps the promise by itself.
    """
    alike = not let_in.weighted and np.ptp(let_in.task_guarantee) == 0
    attempt = attempt_by(packer, replace(let_in, guarantee=None) if alike else let_in, options)
    if attempt.host is not None and fits(let_in, attempt.host):
        return attempt
    note = f"{packer.name} found no placement of the jobs let in within its time; this one is by {found.solver}"
    return replace(found, status="limit", notes=(*found.notes, note))
