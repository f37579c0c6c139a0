"""Runs in which GPUs are cards (rule Q22): what is refused, and what the compiled engine serves."""

from loadmaster.backfilling import Easy
from loadmaster.model import Cluster, InputError, Workload
from loadmaster.model.cards import host_cards
from loadmaster.scheduling import AnyPolicy, Discipline, MaxJobs, Twin, is_meta, is_plain_data


def refuse_beside_cards(workload: Workload, cluster: Cluster, discipline: Discipline) -> None:
    """Refuse what no engine serves where jobs request parts of a GPU.

    Raises:
        InputError: there is something of the kind, or a request or a host with GPUs that are no cards.
    """
    if host_cards(workload, cluster) is None:
        return
    rule = "is not simulated where jobs request parts of a GPU"
    whole = "round the parts up to whole GPUs"
    if isinstance(discipline, Twin):
        raise InputError(discipline.name, f"a twin {rule}", fix=f"name one of its members, or {whole}")
    rules = cluster.rules
    if rules is not None and rules.preemption.by != "none":
        raise InputError("preemption", f"stopping jobs for others {rule}", fix=f"leave it out, or {whole}")
    if rules is not None and any(row.kind == "down" for row in rules.calendar):
        raise InputError("down", f"a host that goes down {rule}", fix=f"drain the host in the calendar, or {whole}")


def refuse_cards(workload: Workload, cluster: Cluster, where: str) -> None:
    """Refuse jobs that request parts of a GPU.

    Args:
        workload: the jobs.
        cluster: the hosts.
        where: what does not know which GPU each task has, such as "a live run".

    Raises:
        InputError: there are such jobs.
    """
    if host_cards(workload, cluster) is not None:
        rule = f"jobs request parts of a GPU, and {where} does not know which GPU each task has"
        raise InputError(workload.source or "this log", rule, fix="round the parts up to whole GPUs, or simulate it")


def is_on_cards(workload: Workload, cluster: Cluster) -> bool:
    """Whether GPUs are cards in a run of these jobs."""
    return host_cards(workload, cluster) is not None


def serves_cards(workload: Workload, policy: AnyPolicy, discipline: Discipline) -> bool:
    """Whether a compiled engine serves these rules where GPUs are cards; else the plain engine does.

    The form `shadow` promises at most a moment to the head of the queue there. Max-Jobs counts jobs or cores, and makes
    no promise.
    """
    from loadmaster.sim.queue import capabilities as served

    if not served.serves(policy, discipline):
        return general_serves_cards(workload, policy, discipline)
    return _knows_cards(workload, policy) and (not is_meta(policy) or not isinstance(discipline.backfilling, Easy))


def general_serves_cards(workload: Workload, policy: AnyPolicy, discipline: Discipline) -> bool:
    """Whether the general pass serves these rules where GPUs are cards."""
    from loadmaster.sim.queue.engine import general_replay

    return _knows_cards(workload, policy) and general_replay.serves(policy, discipline)


def _knows_cards(workload: Workload, policy: AnyPolicy) -> bool:
    """Whether a compiled engine rates hosts with cards by this policy."""
    counts = isinstance(policy, MaxJobs) and policy.target != "weighted"
    return len(workload.resources) > 1 and is_plain_data(policy) and (counts or not is_meta(policy))
