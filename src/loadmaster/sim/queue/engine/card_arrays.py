"""Lays out the GPUs of hosts as cards for the compiled engine (rule Q22)."""

import numpy as np

from loadmaster.backfilling.pass_arrays import PassCards
from loadmaster.model import Cluster
from loadmaster.model.arrays import Floats, frozen_bools
from loadmaster.model.cards import HostCards
from loadmaster.place.cards_kernel import EngineCards
from loadmaster.scheduling.snapshot_arrays import SnapshotArrays
from loadmaster.sim.queue.engine.state import Jobs, QueueState


def hosts_on_cards(cluster: Cluster, cards: HostCards) -> Cluster:
    """The hosts with the two amounts that cards add: the largest part of a card that is free, and whole free cards."""
    has = np.minimum(cards.count, 1).astype(np.float64), cards.count.astype(np.float64)
    return Cluster(
        (*cluster.resources, "part of a GPU", "whole GPUs"),
        np.column_stack((cluster.capacity, *has)),
        cluster.names,
        cluster.speed,
        cluster.rules,
    )


def demand_on_cards(demand: Floats, cards: HostCards) -> Floats:
    """float64[N, R + 2]: demands, with those for the two amounts that cards add."""
    gpus = demand[:, cards.column]
    return np.column_stack((demand, np.where(gpus < 1, gpus, 0.0), np.where(gpus < 1, 0.0, gpus)))


def jobs_on_cards(jobs: Jobs, hosts: Cluster, cards: HostCards) -> Jobs:
    """The jobs with demands for the two amounts that cards add; `hosts` are those of `hosts_on_cards`."""
    demand = demand_on_cards(jobs.demand, cards)
    return jobs._replace(
        demand=demand,
        smallest=frozen_bools((demand <= demand.min(axis=0, initial=np.inf)).all(axis=1)),
        holdable=frozen_bools((demand <= hosts.capacity.min(axis=0)).all(axis=1)),
    )


def state_on_cards(state: QueueState, jobs: Jobs, cards: HostCards) -> QueueState:
    """The state at the beginning of a run, with all cards free."""
    free, resources = cards.free(), jobs.demand.shape[1] - 2
    gpus: Floats = jobs.demand[:, cards.column]
    return state._replace(
        cards=EngineCards(
            free=free,
            then=np.zeros(free.shape),
            wanted=np.ceil(gpus).astype(np.int64),
            share=np.minimum(gpus, 1.0),
            undo=np.zeros(len(state.undo_host), np.int64),
            held=np.zeros(len(state.held), np.int64),
            taken=np.zeros(jobs.first_task[-1], np.int64),  # tasks that never start included
            left=np.zeros(free.shape[1]),
            left_then=np.zeros(free.shape[1]),
            cost=np.zeros(free.shape[1]),
            room=np.zeros(resources + 2),
            resources=resources,
        )
    )


def pass_cards(scene: SnapshotArrays, engine_cards: EngineCards | None) -> PassCards | None:
    """The cards of the engine as a scheduling pass over the rows of `scene` takes them."""
    if engine_cards is None:
        return None
    # a part of a card, or whole cards
    gpus = scene.rows.demand[:, engine_cards.resources] + scene.rows.demand[:, engine_cards.resources + 1]
    started, promised, standing = (np.zeros(scene.tasks, np.int64) for _ in range(3))
    return PassCards(
        free=engine_cards.free,
        wanted=np.ceil(gpus).astype(np.int64),
        share=np.minimum(gpus, 1.0),
        cost=np.zeros(engine_cards.free.shape[1]),
        picked=np.zeros(int(scene.rows.of["tasks"].max(initial=1)), np.int64),
        started=started,
        promised=promised,
        standing=standing,
        taken=engine_cards.taken,
        resources=engine_cards.resources,
    )
