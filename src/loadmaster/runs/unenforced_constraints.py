"""Requests that are not enforced: features that no machine is known to have, licences without a total."""

import numpy as np

from loadmaster.model import Cluster, Workload
from loadmaster.model.features import parse_features
from loadmaster.model.gres import MODEL
from loadmaster.model.licences import parse_licences


def notes_on_features(workload: Workload, cluster: Cluster, machines: str = "") -> tuple[str, ...]:
    """That jobs ask for features where no host has any, models of GPUs aside; nothing where some host has one.

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
    plain = [any(not term.startswith(MODEL) for term in each) for each in terms]
    count = int(np.isin(features.code, np.flatnonzero(plain)).sum())
    if count == 0:
        return ()
    jobs = "1 job asks" if count == 1 else f"{count:,} jobs ask"
    here = f"hosts of {machines} have none" if machines else "hosts given have none"
    where = "it runs" if count == 1 else "they run"
    return (f"{jobs} for features of hosts, and the {here}: so {where} on any (a column features of --hosts FILE).",)


def notes_on_licences(workload: Workload, cluster: Cluster) -> tuple[str, ...]:
    """That jobs ask for licences of which no total is known, so that they keep back no job (rule C13)."""
    column = None if workload.constraints is None else workload.constraints.licences
    if column is None:
        return ()
    counted = {} if cluster.rules is None else dict(cluster.rules.licences)
    unknown = [{name for name, _ in parse_licences(text) if name not in counted} for text in column.names]
    jobs = int(np.isin(column.code, [code for code, names in enumerate(unknown) if names]).sum())
    names = sorted(set().union(*(unknown[code] for code in np.unique(column.code).tolist() if code >= 0)))
    if not jobs:
        return ()
    first = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    ask = "1 job asks" if jobs == 1 else f"{jobs:,} jobs ask"
    given = "a YAML host file, a site, or --licences gives the number"
    return (f"{ask} for licences whose number is not known ({first}): they are not counted ({given}).",)
