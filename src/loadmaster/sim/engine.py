"""One door to the engines: picks the compiled one for a policy and a discipline, or the plain one on request."""

from collections.abc import Callable
from typing import Literal

from loadmaster.model import Cluster, Schedule, Workload
from loadmaster.order import Discipline
from loadmaster.place import POLICIES, Policy
from loadmaster.place.trial import try_out
from loadmaster.schedule import AnyPolicy, compose
from loadmaster.sim.reference import replay

Engine = Literal["auto", "rows", "cycles", "backfill", "reference"]
Progress = Callable[[int, int], None]
"""Called now and then with (jobs started, jobs in all)."""


def simulate(
    workload: Workload,
    cluster: Cluster,
    policy: AnyPolicy,
    discipline: Discipline,
    *,
    interval_s: float = 30.0,
    seed: int = 0,
    engine: Engine = "auto",
    progress: Progress | None = None,
) -> Schedule:
    """Replay `workload` on `cluster` and return who started when and where.

    Args:
        workload: jobs; its resources must be the cluster's, in the same order.
        cluster: the hosts.
        policy: rates hosts, or a meta-policy over several.
        discipline: the order in which the queue is served.
        interval_s: seconds between scheduling cycles; 0 decides at every event.
        seed: for policies that draw.
        engine: `reference` for the plain Python engine, `cycles` for the general compiled one,
            `rows` for the one that knows the rules of the thesis, `backfill` for the one with backfilling; all agree,
            and one that cannot serve gives way. Max-Jobs with backfilling has the plain one only.
        progress: told of the progress of long runs.

    Raises:
        InputError: jobs and hosts name different resources, a host's speed is not 1, or a policy of one's own is
            not sound.
    """
    from loadmaster.compiled import rater
    from loadmaster.sim import backfill, cycles, netbatch

    workload.check_resources(cluster)
    cluster.check_equal_speeds()
    if engine != "reference":
        for member in cycles.members_of(policy):
            if POLICIES.get(member.name) is not member:
                rater(member)  # what cannot be compiled is said first, and never run
                try_out(member, workload, cluster)
    if engine in ("auto", "rows") and netbatch.serves_rows(workload, cluster, policy, discipline, interval_s):
        return netbatch.replay_rows(workload, cluster, policy, discipline, interval_s=interval_s, progress=progress)
    if engine in ("auto", "cycles") and cycles.serves(policy, discipline):
        return cycles.replay_cycles(
            workload, cluster, policy, discipline, interval_s=interval_s, seed=seed, progress=progress
        )  # fmt: skip
    if engine in ("auto", "backfill") and isinstance(policy, Policy) and backfill.serves(discipline):
        return backfill.replay_backfill(
            workload, cluster, policy, discipline, interval_s=interval_s, seed=seed, progress=progress
        )  # fmt: skip
    return replay(
        workload, cluster, compose(policy, discipline), interval_s=interval_s, seed=seed, progress=progress
    )  # fmt: skip
