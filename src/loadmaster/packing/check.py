"""An independent check of packings: adds up every host in plain Python, from the instance alone."""

from math import ceil, fsum

import numpy as np

from loadmaster.model.units import GPUS
from loadmaster.packing.cards import Cards
from loadmaster.packing.instance import TOLERANCE, Instance
from loadmaster.packing.packing import Packing

RIGID_SLACK = 1.001 * TOLERANCE
"""Of the largest host, by which rigid demands may exceed one."""


def violations(instance: Instance, packing: Packing, tolerance: float = 1e-6) -> list[str]:
    """Every rule of the model that `packing` breaks, as sentences; empty if it keeps them all.

    Each task on one existing host, capacities kept, no GPU used by more than it is, shares between nothing and the
    demand, one yield a job, promised yields kept, and a level that neither the shares contradict nor the bound. Where
    tasks are left over, hosts and GPUs are looked at alone.

    Args:
        instance: the problem.
        packing: the answer to judge.
        tolerance: of shares and yields, relative to the largest host; what must fit in full may exceed a host by no
            more than packers allow themselves, and rounding.
    """
    broken = []
    if not packing.placed and packing.status == "ok":
        broken.append("a packing without mapping must not say ok")
    on: dict[int, list[int]] = {h: [] for h in range(instance.hosts)}
    for task, host in enumerate(packing.host.tolist()):
        if host in on:
            on[host].append(task)
        elif packing.placed or host != -1:
            broken.append(f"task {task} is on host {host}, which does not exist")
    for host, tasks in on.items():
        for r, name in enumerate(instance.rigid_names):
            used, capacity = fsum(instance.rigid[t, r] for t in tasks), instance.rigid_capacity[host, r]
            if used > capacity + RIGID_SLACK * instance.rigid_capacity[:, r].max():
                broken.append(f"host {host} holds {used} of {name}, more than {capacity}")
        for f, name in enumerate(instance.fluid_names):
            used, capacity = fsum(packing.share[t, f] for t in tasks), instance.fluid_capacity[host, f]
            if used > capacity + tolerance * instance.fluid_capacity[:, f].max():
                broken.append(f"host {host} gives {used} of {name}, more than {capacity}")
            if capacity == 0 and any(instance.fluid[t, f] > 0 for t in tasks):
                broken.append(f"host {host} has no {name}, and a task on it requests some")
    broken += _broken_cards(instance, packing)
    return broken + _broken_yields(instance, packing, tolerance) if packing.placed else broken


def _broken_cards(instance: Instance, packing: Packing) -> list[str]:
    """On single GPUs a task takes part of one or whole ones, of its host, and none is used twice (K22).

    Cards are counted anew from what tasks request of the resource `gpus`, and what hosts have of it.
    """
    if packing.cards is None:
        placed = (packing.host >= 0).any()
        return ["tasks are bound to single GPUs, and none is named"] if instance.cards is not None and placed else []
    gpus, there = instance.rigid_names.index(GPUS), instance.rigid_capacity[:, instance.rigid_names.index(GPUS)]
    used: dict[tuple[int, int], list[float]] = {}
    broken = []
    for task, host in enumerate(packing.host.tolist()):
        cards = np.flatnonzero(packing.cards[task]).tolist()
        if host < 0:
            broken += [f"task {task} has no host and takes GPUs"] if cards else []
            continue
        asked = float(instance.rigid[task, gpus])
        if len(cards) != ceil(asked):
            broken.append(f"task {task} requests {asked} GPUs and takes {len(cards)}")
        for card in cards:
            used.setdefault((host, card), []).append(min(asked, 1.0))
            if card >= there[host]:
                broken.append(f"task {task} takes GPU {card} of host {host}, which has {there[host]:g}")
            elif instance.cards is not None and not _accepts(instance.cards, task, host, card):
                broken.append(f"task {task} takes GPU {card} of host {host}, of a kind that it does not accept")
    return broken + [
        f"GPU {card} of host {host} is used {fsum(parts)} times"
        for (host, card), parts in used.items()
        if fsum(parts) > 1 + TOLERANCE
    ]


def _accepts(cards: Cards, task: int, host: int, card: int) -> bool:
    """Whether the names of the card's kind are among those that the task requests."""
    request, kind = cards.requests[cards.accepts[task]], cards.kinds[cards.kind[host, card]]
    return not request or any(set(names.split("&")) <= set(kind) for names in request.replace(" ", "").split("|"))


def _broken_yields(instance: Instance, packing: Packing, tolerance: float) -> list[str]:
    broken = []
    top = 1.0 if instance.weight is None or instance.jobs == 0 else float(instance.weight.max())
    for task in range(instance.tasks):
        job = int(instance.job_of[task])
        got = float(packing.job_yield[job])
        weight = 1.0 if instance.weight is None else float(instance.weight[job]) / top
        promised = max(packing.level * weight, 0.0 if instance.guarantee is None else float(instance.guarantee[job]))
        if not -tolerance <= got <= 1 + tolerance:
            broken.append(f"job {job} has yield {got}")
        if instance.fluid[task].max(initial=0.0) > 0 and got < promised - tolerance:
            broken.append(f"job {job} has yield {got}, promised {promised}")
        for f, demand in enumerate(instance.fluid[task].tolist()):
            if abs(packing.share[task, f] - got * demand) > tolerance * max(1.0, demand):
                broken.append(f"task {task} gets {packing.share[task, f]}, its job's yield says {got * demand}")
    if packing.level > packing.bound + tolerance:
        broken.append(f"level {packing.level} is above the bound {packing.bound}")
    return broken
