"""A site's queue as `fit` found it, in a YAML file that `--site` reads (rule H12)."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, cast, get_args

import yaml

from loadmaster.model import Cluster, InputError
from loadmaster.model.units import CORES, MEMORY
from loadmaster.rules.near import near_to
from loadmaster.traces.fit import Spread
from loadmaster.traces.plain_yaml import plain_yaml

ENDINGS = (".yaml", ".yml")
"""Of the files that hold one."""
_KEYS = (
    "hosts",
    "slurm_conf",
    "accounts",
    "spread",
    "policy",
    "discipline",
    "interval_s",
    "launch_s",
    "estimates",
    "fit",
)
_FIX = "write it as `loadmaster fit` does"


@dataclass(frozen=True)
class SiteQueue:
    """How a site serves its queue.

    Attributes:
        discipline: an order and a backfilling.
        interval_s: between cycles; 0 decides at every event.
        launch_s: so long every job holds its hosts beyond its runtime: launch, clean-up, a host that is checked.
        estimates: the estimates that the discipline uses, as `--estimates` takes them.
    """

    discipline: str = "fcfs+easy"
    interval_s: float = 0.0
    launch_s: float = 0.0
    estimates: str = "user"

    @property
    def words(self) -> str:
        """The queue in one line."""
        parts = [self.discipline]
        parts += [f"a cycle every {self.interval_s:g} s"] if self.interval_s else []
        parts += [f"{self.launch_s:g} s of launch and clean-up a job"] if self.launch_s else []
        parts += [f"estimates {self.estimates}"] if self.estimates != "user" else []
        return ", ".join(parts)


@dataclass(frozen=True)
class FittedSite:
    """A site as its file has it.

    Attributes:
        hosts: as `--hosts` takes them, or groups of a host file; None where they are those of `slurm_conf`.
        slurm_conf, accounts: of the site, where it was given to the fit.
        spread: where tasks of a job may go; empty for what the log says.
        policy: which hosts are taken.
        queue: its order, backfilling, cycle, overhead and estimates.
        about: how it was found, for readers of the file.
    """

    queue: SiteQueue
    hosts: str | list[dict[str, Any]] | None = None
    slurm_conf: str = ""
    accounts: str = ""
    spread: Spread | Literal[""] = ""
    policy: str = "first-fit"
    about: Mapping[str, Any] = field(default_factory=dict)


def is_fitted(path: Path) -> bool:
    """Whether a file given as `--site` is one of these, by its name."""
    return path.suffix.lower() in ENDINGS


def fitted_text(site: FittedSite) -> str:
    """The YAML file that `fit` writes and `--site` reads."""
    machines: dict[str, Any] = {"hosts": site.hosts} if site.hosts is not None else {"slurm_conf": site.slurm_conf}
    machines |= {name: getattr(site, name) for name in ("accounts", "spread") if getattr(site, name)}
    queue = {name: getattr(site.queue, name) for name in ("discipline", "interval_s", "launch_s", "estimates")}
    document = {**machines, "policy": site.policy, **queue, "fit": dict(site.about)}
    head = "# A site's queue, found by `loadmaster fit`; give it to compare or simulate with --site.\n"
    return head + yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=110)


def groups_of(cluster: Cluster) -> list[dict[str, Any]]:
    """Hosts in the form of a host file, neighbours that are alike as one group; their names and features are lost."""
    assert cluster.speed is not None
    groups: list[dict[str, Any]] = []
    for amounts, speed in zip(cluster.capacity.tolist(), cluster.speed.tolist(), strict=True):
        named = {_column(name): amount for name, amount in zip(cluster.resources, amounts, strict=True)}
        group = named | ({"speed": speed} if speed != 1.0 else {})
        if groups and {key: value for key, value in groups[-1].items() if key != "count"} == group:
            groups[-1]["count"] += 1
        else:
            groups.append({"count": 1, **group})
    return groups


def _column(resource: str) -> str:
    if resource == MEMORY:
        return "memory_bytes"
    return resource if resource in (CORES, "gpus") else f"resource_{resource}"


def read_fitted_queue(path: Path) -> FittedSite:
    """The site in a file.

    Raises:
        InputError: it cannot be read, a key is unknown or missing, or a value breaks its rule.
    """
    document = plain_yaml(path)
    if not isinstance(document, dict) or "discipline" not in document:
        rule = "a site in YAML is a mapping with hosts and a discipline"
        raise InputError(path.name, rule, fix=f"{_FIX}, or give a slurm.conf", where=str(path))
    for key in document:
        if key not in _KEYS:
            near = near_to(str(key), dict.fromkeys(_KEYS))
            raise InputError(key, "no such key of a site", fix=near or f"one of {', '.join(_KEYS)}", where=str(path))
    if ("hosts" in document) == ("slurm_conf" in document):
        raise InputError(path.name, "a site has hosts or slurm_conf, one of them", fix=_FIX, where=str(path))
    words: dict[str, Any] = {
        key: _word(document, key, path) for key in ("slurm_conf", "accounts", "policy") if key in document
    }
    spread = _word(document, "spread", path) if "spread" in document else ""
    if spread and spread not in get_args(Spread):
        raise InputError(spread, "no such spread", fix=f"one of {', '.join(get_args(Spread))}", where=str(path))
    queue = SiteQueue(
        _word(document, "discipline", path),
        _seconds(document, "interval_s", path),
        _seconds(document, "launch_s", path),
        _word(document, "estimates", path) if "estimates" in document else "user",
    )
    return FittedSite(queue, document.get("hosts"), spread=cast(Spread, spread), **words)


def _word(document: dict[str, Any], key: str, path: Path) -> str:
    value = document[key]
    if not isinstance(value, str) or not value.strip():
        raise InputError(value, f"{key} of a site is a word", fix=_FIX, where=str(path))
    return value.strip()


def _seconds(document: dict[str, Any], key: str, path: Path) -> float:
    given = document.get(key, "0")
    try:
        seconds = float(given)
    except (TypeError, ValueError):
        seconds = math.nan
    if not (math.isfinite(seconds) and seconds >= 0):
        raise InputError(given, f"{key} of a site is a number of seconds from 0 up", fix=_FIX, where=str(path))
    return seconds
