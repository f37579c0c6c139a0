"""Models of GPUs that jobs ask for, bound to the hosts that have them (rule C16)."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from loadmaster.model import Cluster, Constraints, SiteRules, Workload
from loadmaster.model.features import parse_features
from loadmaster.model.gres import MODEL, model_feature, models_asked
from loadmaster.model.name_column import Named
from loadmaster.model.units import GPUS

UNKNOWN = model_feature("unknown")
"""The feature of hosts whose GPUs have no known model, where jobs ask for a model that no host is known to have."""


def bind_gpu_models(workload: Workload, cluster: Cluster) -> tuple[Workload, Cluster, tuple[str, ...]]:
    """Jobs that ask for a model, and hosts whose features say their models; a sentence on hosts of unknown models.

    A host has a model if one of its features is `gpu:MODEL`, or the model itself in capital or small letters.

    Args:
        workload: jobs whose features may ask for `gpu:MODEL`.
        cluster: the hosts.
    """
    bound, rules = workload.constraints or Constraints(), cluster.rules or SiteRules()
    column = bound.features or Named.of([])
    asked = [set(models_asked(text)) for text in column.names]
    wanted = set[str]().union(*asked)
    if not wanted:
        return workload, cluster, ()
    given = {each.lower() for text in (bound.gpu_kind or Named.of([])).names for each in text.split(",")}
    features = [_with_models(each, wanted | given) for each in rules.features or ((),) * cluster.hosts]
    known = {each.removeprefix(MODEL) for names in features for each in names if each.startswith(MODEL)}
    gpus = cluster.capacity[:, cluster.resources.index(GPUS)] if GPUS in cluster.resources else np.zeros(cluster.hosts)
    nameless = (gpus > 0) & ~np.array([any(each.startswith(MODEL) for each in names) for names in features])
    free = wanted - known if nameless.any() else set[str]()
    if free and known:
        features = [(*names, UNKNOWN) if one else names for names, one in zip(features, nameless, strict=True)]
    plain = any(not each.startswith(MODEL) for names in features for each in names)

    def needed(term: str) -> str:
        if not term.startswith(MODEL):
            return term if plain else ""
        return term if term.removeprefix(MODEL) not in free else UNKNOWN if known else ""

    texts = [_changed(text, needed) for text in column.names]
    renamed = Named.of([texts[code] if code >= 0 else None for code in column.code.tolist()])
    workload = replace(workload, constraints=replace(bound, features=renamed if renamed.names else None))
    notes = []
    if free:
        serves = "GPUs of unknown model serve" if known else "any GPU serves"
        notes.append(
            f"{_jobs(column, asked, free)} for a model of GPU that no host is known to have ({_listed(free)}): "
            f"{serves} (name it in Gres= of the hosts, or as a feature in --hosts FILE)."
        )
    if nameless.any() and known & wanted:
        hosts = "1 host has" if nameless.sum() == 1 else f"{nameless.sum():,} hosts have"
        notes.append(
            f"{hosts} GPUs whose model is not known: jobs that ask for the model of another host do not run there "
            f"({_jobs(column, asked, known)} for {_listed(known & wanted)})."
        )
    return (
        workload,
        replace(cluster, rules=replace(rules, features=tuple(features))) if known else cluster,
        tuple(notes),
    )


def _with_models(features: tuple[str, ...], models: set[str]) -> tuple[str, ...]:
    """The features of a host, with `gpu:MODEL` for each that stands there as a bare name."""
    bare = (model_feature(each.lower()) for each in features if each.lower() in models)
    return tuple(dict.fromkeys((*features, *bare)))


def _changed(text: str, needed: Callable[[str], str]) -> str:
    """Features with other terms in place of some, or without them; empty if one alternative needs nothing more."""
    parts = ["&".join(filter(None, map(needed, part))) for part in parse_features(text)]
    return "|".join(dict.fromkeys(parts)) if all(parts) else ""


def _jobs(column: Named, asked: list[set[str]], models: set[str]) -> str:
    codes = [code for code, each in enumerate(asked) if each & models]
    number = int(np.isin(column.code, codes).sum())
    return "1 job asks" if number == 1 else f"{number:,} jobs ask"


def _listed(models: set[str]) -> str:
    more = len(models) - 5
    return ", ".join(sorted(models)[:5]) + (f" and {more} more" if more > 0 else "")
