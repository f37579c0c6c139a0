"""Models of GPUs: a job that names one may only run on hosts that have it, which a feature of those hosts says."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from loadmaster.model.gres import GPU, model_feature
from loadmaster.site.node import SiteNode


def models_of(node: SiteNode) -> tuple[str, ...]:
    """The models of a host's GPUs, "" for GPUs without a model."""
    return tuple(sorted({each.model for each in node.gres if each.kind == GPU}))


def feature_by_model(nodes: Sequence[SiteNode]) -> dict[str, str]:
    """Models that a job may name, each with the feature of the hosts that have it; "" where all GPUs are of that model.

    A model is missing if a host has GPUs of several, that model among them: the GPUs of a host are counted together.
    """
    every = {models for node in nodes if (models := models_of(node))}
    mixed = {model for models in every if len(models) > 1 for model in models}
    alone = {models[0] for models in every} - mixed - {""}
    return {model: "" if len(every) == 1 else model_feature(model) for model in alone}


def gpu_counts(nodes: Sequence[SiteNode]) -> dict[str, list[int]]:
    """Of each model, "" for any, how many GPUs every host has that has some."""
    counts: dict[str, list[int]] = {}
    for node in nodes:
        for model in {*models_of(node), ""} if node.gpus else ():
            counts.setdefault(model, []).append(
                sum(each.number for each in node.gres if each.kind == GPU and model in ("", each.model))
            )
    return counts


def with_model_features(nodes: Sequence[SiteNode]) -> list[SiteNode]:
    """The hosts, each with a feature for the model of its GPUs; for each of several, with its number (rule Q22)."""
    return [replace(node, features=(*node.features, *_features_of(node))) for node in nodes]


def _features_of(node: SiteNode) -> list[str]:
    numbers: Counter[str] = Counter()
    for each in node.gres:
        if each.kind == GPU:
            numbers[each.model] += each.number
    if len(numbers) == 1:
        return [model_feature(model) for model in numbers]
    return [f"{model_feature(model)}:{number}" for model, number in sorted(numbers.items())]
