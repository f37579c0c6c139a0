"""A site as the model has it: hosts with partitions, qualities of service, accounts and limits (rules L2 to L8)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from loadmaster.model import Cluster
from loadmaster.model import site_rules as model
from loadmaster.model.limits import Limits
from loadmaster.model.units import CORES, GPUS, MB, MEMORY
from loadmaster.site.accounts import Accounts, Association, SiteQos
from loadmaster.site.amounts import limits_of, rates_of
from loadmaster.site.gpu_models import with_model_features
from loadmaster.site.job_scope import ALL_JOBS, NOT_IN_LOGS, JobScope, LeftOut
from loadmaster.site.node import SiteNode
from loadmaster.site.partition import SitePartition
from loadmaster.site.site import Site

_ORDER = ("suspend", "requeue", "cancel", "off")
_WHOLE = (
    "The site has no SelectType: jobs get whole hosts, as in Slurm 22.05; for a newer release write "
    "SelectType=select/cons_tres."
)
_FLAGS_OF_QOS = frozenset(("noreserve", "overpartqos", "nodecay"))
"""What is modelled, or said where it matters (`_say_of_work`)."""
_KINDS: dict[str, Literal["none", "qos", "partition"]] = {"none": "none", "qos": "qos", "partition_prio": "partition"}


@dataclass(frozen=True)
class ModelledSite:
    """The hosts with what binds the jobs there.

    Attributes:
        cluster: hosts and rules.
        facts: what a user must know of it, one sentence each.
        unmodelled: what of the site is not modelled, and the jobs that it concerns.
    """

    cluster: Cluster
    facts: tuple[str, ...]
    unmodelled: Mapping[str, JobScope]

    @property
    def notes(self) -> tuple[str, ...]:
        """The facts, and what is not modelled, where no jobs are known."""
        return (*self.facts, *([f"Of the site not modelled: {', '.join(self.unmodelled)}."] * bool(self.unmodelled)))


def cluster_of(site: Site, accounts: Accounts | None = None) -> ModelledSite:
    """Hosts, partitions, QOS, accounts and preemption of a site.

    Hosts that are down are left out; the rest is in the order of Weight, so that ties go to the lightest. Memory is a
    resource where the site counts it, GPUs where a host has some.

    Raises:
        InputError: a host or a rule breaks what holds for any cluster.
    """
    nodes = with_model_features(sorted((node for node in site.nodes if node.there), key=lambda node: node.weight))
    left_out: LeftOut = {}
    whole = site.selection.whole_hosts
    rules = model.SiteRules(
        partitions=tuple(modelled_partition(part, nodes, left_out, whole_hosts=whole) for part in site.partitions),
        default_partition=next((part.name for part in site.partitions if part.default), ""),
        qos=() if accounts is None else tuple(_qos(qos, site, left_out) for qos in accounts.qos),
        accounts=() if accounts is None else tuple(_accounts(accounts, site, left_out)),
        features=tuple(node.features for node in nodes) if any(node.features for node in nodes) else (),
        licences=site.licences,
        start_up=site.power_saving.start_ups(nodes),
        preemption=_preemption(site, left_out),
        requeue=site.preemption.requeue,
        limits_safe=bool({"safe", "all"} & set(site.enforce)),
        use_half_life_s=site.priority.half_life_s if site.priority.multifactor else 0.0,
    )
    _say_of_devices(nodes, left_out)
    _say_of_accounts(site, accounts, left_out)
    _say_of_work(site, rules, accounts, left_out)
    cluster = cluster_of_nodes(nodes, memory=site.selection.memory, rules=rules)
    rest = {**dict.fromkeys(site.not_modelled, ALL_JOBS), **site.scopes, **left_out}
    rest = {text: rest[text] for text in (*site.not_modelled, *left_out)}
    more = {} if accounts is None else dict.fromkeys(accounts.not_modelled, ALL_JOBS)
    return ModelledSite(cluster, tuple(_notes(site, accounts)), rest | more)


def _say_of_devices(nodes: list[SiteNode], left_out: LeftOut) -> None:
    """Generic resources that bind no job."""
    others = sorted({kind for node in nodes for kind, _, _ in node.gres} - {"gpu"})
    left_out |= {f"Gres={kind}": NOT_IN_LOGS for kind in others}


def _say_of_work(site: Site, rules: model.SiteRules, accounts: Accounts | None, left_out: LeftOut) -> None:
    """What of limits on work is not modelled, where some are set: resets of use, QOS that count it otherwise."""
    limits = [*(qos.limits for qos in rules.qos), *(node.limits for node in rules.accounts)]
    if not any(each.grp_tres_s or each.grp_wall_s is not None for each in limits):
        return
    if site.priority.multifactor and site.priority.reset != "none":
        left_out["PriorityUsageResetPeriod for limits on work"] = ALL_JOBS
    if any("nodecay" in qos.flags for qos in (() if accounts is None else accounts.qos)):
        left_out["QOS Flags=NoDecay"] = JobScope("qos", _with_flag(accounts, "nodecay"))
    if any(qos.usage_factor != 1.0 for qos in rules.qos):
        factors = tuple(qos.name for qos in rules.qos if qos.usage_factor != 1.0)
        left_out["UsageFactor for limits on work"] = JobScope("qos", factors)


def cluster_of_nodes(nodes: list[SiteNode], *, memory: bool, rules: model.SiteRules | None) -> Cluster:
    """Hosts of `nodes` in their order; GPUs are a resource where one has some, memory where it is counted.

    Where hosts that a change adds have a price, all others have the price 0: the cost is that of the added hosts.

    Raises:
        InputError: a host breaks what holds for any cluster.
    """
    columns = {CORES: [float(node.cpus) for node in nodes]}
    if memory:
        columns[MEMORY] = [float(node.memory_mib) * MB for node in nodes]
    if any(node.gpus for node in nodes):
        columns[GPUS] = [float(node.gpus) for node in nodes]
    names = tuple(node.name for node in nodes)
    prices = [node.price_per_hour for node in nodes]
    priced = None if all(price is None for price in prices) else np.array([price or 0.0 for price in prices])
    return Cluster(tuple(columns), np.array(list(columns.values())).T, names, rules=rules, price_per_hour=priced)


def modelled_partition(
    part: SitePartition, nodes: list[SiteNode], left_out: LeftOut, *, whole_hosts: bool
) -> model.Partition:
    """A partition on `nodes`; what of it is not modelled is added to `left_out`."""
    members = set(part.nodes)
    hosts = tuple(number for number, node in enumerate(nodes) if node.name in members)
    here = JobScope("partitions", (part.name,))
    if part.sharing in ("yes", "force"):
        left_out[f"OverSubscribe={part.sharing.upper()} of partition {part.name}"] = here
    if not np.isinf(part.max_cpus_per_node):
        left_out[f"MaxCPUsPerNode of partition {part.name}"] = here
    if part.over_time_limit_s is not None:
        left_out[f"OverTimeLimit of partition {part.name}"] = here
    if part.exclusive_user:
        left_out[f"ExclusiveUser of partition {part.name}"] = here
    if part.exclusive_topology:
        left_out[f"ExclusiveTopo of partition {part.name}"] = here
    whole = part.sharing == "exclusive" or whole_hosts
    return model.Partition(
        name=part.name,
        hosts=None if len(hosts) == len(nodes) else hosts,
        tier=part.tier,
        job_factor=part.job_factor,
        max_time_s=_or_none(part.max_time_s),
        min_hosts=part.min_nodes if part.min_nodes > 1 else None,
        max_hosts=None if np.isinf(part.max_nodes) else int(part.max_nodes),
        allow_accounts=part.allow_accounts,
        deny_accounts=part.deny_accounts,
        allow_qos=part.allow_qos,
        deny_qos=part.deny_qos,
        qos=part.qos,
        preempt_mode=None if part.preempt_mode is None else _mode(part.preempt_mode, left_out),
        grace_s=part.grace_s,
        exclusive="host" if whole else "none",
        state=part.state,  # type: ignore[arg-type]
        billing=rates_of(part.billing, "TRESBillingWeights", left_out),
    )


def _qos(qos: SiteQos, site: Site, left_out: LeftOut) -> model.Qos:
    return model.Qos(
        name=qos.name,
        priority=qos.priority,
        preempts=qos.preempts,
        within=qos.mode is not None and "within" in qos.mode,
        preempt_mode=None if qos.mode is None else _mode(qos.mode, left_out),
        grace_s=qos.grace_s,
        exempt_s=qos.exempt_s,
        usage_factor=qos.usage_factor,
        no_reserve="noreserve" in qos.flags,
        over_partition="overpartqos" in qos.flags,
        limits=limits_of(qos.limits, left_out) if site.limits_bind else Limits(),
    )


def _say_of_accounts(site: Site, accounts: Accounts | None, left_out: LeftOut) -> None:
    """Name what is not modelled: QOS of partitions that no table describes, flags of QOS that change which jobs may
    start or are refused, and the QOS that users have where a job names none.
    """
    qos_names = {qos.name for qos in (() if accounts is None else accounts.qos)}
    for part in site.partitions:
        if part.qos and part.qos not in qos_names and site.limits_bind:
            left_out[f"QOS={part.qos} of partition {part.name}, which no file of accounts describes"] = JobScope(
                "partitions", (part.name,)
            )
    if accounts is None:
        return
    flags = {flag for qos in accounts.qos for flag in qos.flags} - _FLAGS_OF_QOS
    left_out |= {f"QOS Flags={flag}": JobScope("qos", _with_flag(accounts, flag)) for flag in sorted(flags)}
    if any(each.default_qos not in ("", "normal") for each in accounts.associations):
        left_out["DefaultQOS of jobs that name no QOS"] = JobScope("no qos")


def _accounts(accounts: Accounts, site: Site, left_out: LeftOut) -> Iterable[model.Account]:
    """Parents before children, users behind all accounts; of a user's rows for several partitions the first."""
    seen: set[tuple[str, str]] = set()
    for each in _parents_first(accounts.associations):
        if (each.account, each.user) in seen:
            users = {*left_out.get("limits of a user by partition", ALL_JOBS).names, each.user}
            left_out["limits of a user by partition"] = JobScope("users", tuple(sorted(users)))
            continue
        seen.add((each.account, each.user))
        limits = limits_of(each.limits, left_out) if site.limits_bind else Limits()
        yield model.Account(each.account, each.user, each.parent, each.shares, limits, each.priority)


def _parents_first(associations: tuple[Association, ...]) -> list[Association]:
    waiting = {each.account: each for each in associations if not each.user}
    placed: list[Association] = []
    for name in list(waiting):
        way: list[Association] = []
        while name in waiting:
            way.append(waiting.pop(name))
            name = way[-1].parent
        placed += reversed(way)
    return [*placed, *(each for each in associations if each.user)]


def _preemption(site: Site, left_out: LeftOut) -> model.Preemption:
    given = site.preemption
    if given.kind != "none" and site.scheduler.parameters.preempt_strict_order:
        left_out["SchedulerParameters=preempt_strict_order"] = ALL_JOBS
    return model.Preemption(
        by=_KINDS[given.kind],
        mode=_mode(given.mode, left_out),
        exempt_s=given.exempt_s,
        youngest_first=site.scheduler.parameters.preempt_youngest_first,
        reorder_count=site.scheduler.parameters.preempt_reorder_count,
    )


def _mode(words: tuple[str, ...], left_out: LeftOut) -> model.Mode:
    """The one of several modes that says what becomes of a job."""
    mode = next((word for word in _ORDER if word in words), "off")
    if "gang" in words and mode != "suspend":
        left_out["PreemptMode=GANG"] = ALL_JOBS
    if "priority" in words:  # of newer releases: only jobs of a lower priority
        left_out["PreemptMode=PRIORITY"] = ALL_JOBS
    return mode  # type: ignore[return-value]


def _or_none(seconds: float) -> float | None:
    return None if np.isinf(seconds) else seconds


def _with_flag(accounts: Accounts | None, flag: str) -> tuple[str, ...]:
    return () if accounts is None else tuple(qos.name for qos in accounts.qos if flag in qos.flags)


def _notes(site: Site, accounts: Accounts | None) -> list[str]:
    """What is said wherever the site is used."""
    notes = list(site.notes)
    own = [node for node in site.nodes if not node.removed]
    down = sum(not node.there for node in own)
    if down:
        notes.append(f"{down} of {len(own)} hosts of the site are down or not there yet: they are left out.")
    if site.power_saving.note:
        notes.append(site.power_saving.note)
    if not site.selection.said:
        notes.append(_WHOLE)
    if any(node.threads > 1 for node in site.nodes) and site.selection.unit != "cpu":
        notes.append("Hosts with several threads a core give whole cores in Slurm; here each thread counts for itself.")
    if accounts is None:
        notes.append("Without --site-accounts fair share is between users of one share each, and no limit binds.")
    else:
        notes += accounts.notes
        if not site.limits_bind:
            notes.append("Limits of accounts and QOS do not bind: AccountingStorageEnforce lacks the word limits.")
    return notes
