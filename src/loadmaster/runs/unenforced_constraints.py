"""Features that jobs ask for and that are not enforced, since no machine is said to have them (rule C1)."""

from loadmaster.model import Cluster, Workload


def notes_on_features(workload: Workload, cluster: Cluster, machines: str = "") -> tuple[str, ...]:
    """That jobs ask for features where no host has any; nothing where the machines name some, or no job asks.

    Args:
        workload: the jobs.
        cluster: the machines.
        machines: the name of the set, where there are several.
    """
    features = None if workload.constraints is None else workload.constraints.features
    if features is None or (cluster.rules is not None and any(cluster.rules.features)):
        return ()
    count = int((features.code >= 0).sum())
    if count == 0:
        return ()
    jobs = "1 job asks" if count == 1 else f"{count:,} jobs ask"
    here = f"hosts of {machines} have none" if machines else "hosts given have none"
    where = "it runs" if count == 1 else "they run"
    return (f"{jobs} for features of hosts, and the {here}: so {where} on any (a column features of --hosts FILE).",)
