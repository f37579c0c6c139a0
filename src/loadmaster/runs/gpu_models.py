"""Models of GPUs that jobs request, bound to the hosts that have them (rule C16)."""

from dataclasses import replace

import numpy as np

from loadmaster.model import Cluster, Constraints, SiteRules, Workload
from loadmaster.model.features import names_hosts, replaced_terms
from loadmaster.model.gres import MODEL, UNKNOWN, models_asked
from loadmaster.model.name_column import Named
from loadmaster.model.units import GPUS
from loadmaster.system.counted import counted


def bind_gpu_models(workload: Workload, cluster: Cluster) -> tuple[Workload, tuple[str, ...]]:
    """Jobs that request models of GPU by the features that these hosts have; a sentence on models of no known host.

    A host has a model if one of its features is `gpu:MODEL`, or the model itself in capital or small letters.

    Args:
        workload: jobs whose features may request `gpu:MODEL`.
        cluster: the hosts.
    """
    bound, rules = workload.constraints or Constraints(), cluster.rules or SiteRules()
    column = bound.features or Named.of([])
    asked = [set(models_asked(text)) - {_model(UNKNOWN)} for text in column.names]
    wanted = set[str]().union(*asked)
    if not wanted:
        return workload, ()
    given = {each.lower() for text in (bound.gpu_kind or Named.of([])).names for each in text.split(",")}
    names = list(dict.fromkeys(each for host in rules.features for each in host if each != UNKNOWN))
    of_models = {each for each in names if each.startswith(MODEL) or _model(each) in wanted | given}
    known, plain = set(map(_model, of_models)), set(names) - of_models
    gpus = cluster.capacity[:, cluster.resources.index(GPUS)] if GPUS in cluster.resources else np.zeros(cluster.hosts)
    nameless = (gpus > 0) & np.array([of_models.isdisjoint(host) for host in rules.features or ((),) * cluster.hosts])
    free = wanted - known if nameless.any() else set[str]()
    unknown = [UNKNOWN] if any(UNKNOWN in host for host in rules.features) else [""]

    def terms(term: str) -> list[str]:
        """Features of hosts of which one is needed in place of a term; an empty one requests nothing."""
        if not term.startswith(MODEL):
            return [term if plain or names_hosts(term) else ""]
        here = [each for each in names if each in of_models and _model(each) == _model(term)]
        return here or (unknown if _model(term) in free else [term])

    texts = [replaced_terms(text, terms) for text in column.names]
    needed = Named.of([texts[code] if code >= 0 else None for code in column.code.tolist()])
    notes = []
    if free:
        serves = "any GPU serves" if unknown == [""] else "GPUs of unknown model serve"
        notes.append(
            f"{_jobs(column, asked, free)} a model of GPU that no host is known to have ({_listed(free)}): "
            f"{serves} (name it in Gres= of the hosts, or as a feature in --hosts FILE)."
        )
    if nameless.any() and known & wanted:
        hosts = counted(nameless.sum(), "host has", "hosts have")
        notes.append(
            f"{hosts} GPUs whose model is not known: jobs that request the model of another host do not run there "
            f"({_jobs(column, asked, known)} {_listed(known & wanted)})."
        )
    return replace(workload, constraints=replace(bound, features=needed if needed.names else None)), tuple(notes)


def _model(feature: str) -> str:
    return feature.lower().removeprefix(MODEL)


def _jobs(column: Named, asked: list[set[str]], models: set[str]) -> str:
    codes = [code for code, each in enumerate(asked) if each & models]
    number = int(np.isin(column.code, codes).sum())
    return counted(number, "job requests", "jobs request")


def _listed(models: set[str]) -> str:
    more = len(models) - 5
    return ", ".join(sorted(models)[:5]) + (f" and {more} more" if more > 0 else "")
