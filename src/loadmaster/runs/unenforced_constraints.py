"""Requests that are not enforced: features that no machine is known to have, licences without a total."""

from dataclasses import replace

import numpy as np

from loadmaster.model import Cluster, Workload
from loadmaster.model.features import HOST, host_terms, names_hosts, parse_features, replaced_terms
from loadmaster.model.gres import MODEL
from loadmaster.model.host_names import host_names
from loadmaster.model.licences import parse_licences
from loadmaster.model.name_column import Named
from loadmaster.system.counted import counted


def notes_on_features(workload: Workload, cluster: Cluster, machines: str = "") -> tuple[str, ...]:
    """That jobs request features where no host has any, models of GPUs aside; nothing where some host has one.

    Args:
        workload: the jobs.
        cluster: the machines.
        machines: the name of the set, where there are several.
    """
    features = None if workload.constraints is None else workload.constraints.features
    has = () if cluster.rules is None else cluster.rules.features
    if features is None or any(not each.startswith(MODEL) for names in has for each in names):
        return ()
    terms = [[term for part in parse_features(text) for term in part] for text in features.names]
    plain = [any(not (term.startswith(MODEL) or names_hosts(term)) for term in each) for each in terms]
    count = int(np.isin(features.code, np.flatnonzero(plain)).sum())
    if count == 0:
        return ()
    jobs = counted(count, "job requests", "jobs request")
    here = f"hosts of {machines} have none" if machines else "hosts given have none"
    where = "it runs" if count == 1 else "they run"
    return (f"{jobs} features of hosts, and the {here}: so {where} on any (a column features of --hosts FILE).",)


def without_unknown_hosts(workload: Workload, cluster: Cluster) -> tuple[Workload, tuple[str, ...]]:
    """Jobs without names of hosts of which the machines have none, and a sentence that counts these jobs."""
    features = None if workload.constraints is None else workload.constraints.features
    if workload.constraints is None or features is None or not any(map(host_terms, features.names)):
        return workload, ()
    here = {cluster.name(host) for host in range(cluster.hosts)}

    def elsewhere(term: str) -> bool:
        return term.startswith(HOST) and here.isdisjoint(host_names(term.removeprefix(HOST)))

    changed = [code for code, text in enumerate(features.names) if any(map(elsewhere, host_terms(text)))]
    jobs = int(np.isin(features.code, changed).sum())
    if not jobs:
        return workload, ()
    texts = [replaced_terms(text, lambda term: ["" if elsewhere(term) else term]) for text in features.names]
    named = Named.of([texts[code] or None if code >= 0 else None for code in features.code.tolist()])
    bound = replace(workload.constraints, features=named if named.names else None)
    ask = counted(jobs, "job names hosts", "jobs name hosts")
    where = "it runs" if jobs == 1 else "they run"
    note = f"{ask} (-w) that are not among the machines: so {where} on any."
    return replace(workload, constraints=bound), (note,)


def notes_on_licences(workload: Workload, cluster: Cluster) -> tuple[str, ...]:
    """That jobs request licences of which no total is known, so that they keep back no job (rule C13)."""
    column = None if workload.constraints is None else workload.constraints.licences
    if column is None:
        return ()
    totals = {} if cluster.rules is None else dict(cluster.rules.licences)
    unknown = [{name for name, _ in parse_licences(text) if name not in totals} for text in column.names]
    jobs = int(np.isin(column.code, [code for code, names in enumerate(unknown) if names]).sum())
    names = sorted(set().union(*(unknown[code] for code in np.unique(column.code).tolist() if code >= 0)))
    if not jobs:
        return ()
    first = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    ask = counted(jobs, "job requests", "jobs request")
    given = "a YAML host file, a site, or --licences gives the number"
    return (f"{ask} licences whose number is not known ({first}): they are not counted ({given}).",)
