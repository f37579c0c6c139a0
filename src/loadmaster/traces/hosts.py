"""Machines: the short form `200x16c64g,100x32c128g`, or a file."""

import re
from pathlib import Path

import numpy as np

from loadmaster.model import Cluster, InputError
from loadmaster.model.arrays import Floats
from loadmaster.model.cluster import MOST_HOSTS
from loadmaster.model.units import CORES, GB, GPUS, MEMORY
from loadmaster.system.counted import counted

_AMOUNT = r"([0-9]+\.?[0-9]*|\.[0-9]+)"
_GROUP = re.compile(rf"(?:([0-9]+)x)?([0-9]+)c(?:{_AMOUNT}g)?(?:([0-9]+)gpu)?(?:@{_AMOUNT})?", re.IGNORECASE)
_LIKE_A_GROUP = re.compile(r"[0-9]+x[0-9]+c", re.IGNORECASE)
_MOST_KINDS = 3
_FIX = "write it like 200x16c64g or 4x64c512g8gpu, or name a file"


def read_hosts(spec: str | Path) -> Cluster:
    """Hosts from the short form or from a file.

    Args:
        spec: COUNTxCORESc[MEMORYg][GPUSgpu][@PRICE] groups parted by commas (memory in GiB, the price of one host an
            hour), or the path of a file: CSV, Parquet or YAML with the columns of `HOST_COLUMNS`, the `.machines` form,
            openb nodes, or Alibaba's server events.

    Raises:
        InputError: neither a file nor the short form, or hosts that break a rule.

    Example:
        >>> read_hosts("2x16c64g,1x32c128g").total.tolist() == [64.0, 256.0 * GB]
        True
        >>> read_hosts("2x16c64g@0.8,1x32c128g@1.5").cost_per_hour
        3.1
    """
    text = str(spec)
    groups = text.replace(" ", "").split(",")
    if all(_GROUP.fullmatch(group) for group in groups):
        return parse_hosts(text)
    path = Path(text)
    if text.strip() and path.exists():
        from loadmaster.traces.host_files import read_host_file

        return read_host_file(path)
    if any(_GROUP.fullmatch(group) for group in groups):
        return parse_hosts(text)
    if (path.suffix or len(path.parts) > 1) and not _LIKE_A_GROUP.match(text.strip()):
        raise InputError(path.name, "no such file", fix="check the path", where=text)
    raise InputError(text, "neither a file nor a group of hosts", fix=_FIX)


def short_form(cluster: Cluster) -> str:
    """Machines in the short form, their kinds one after another, the most frequent first; many kinds as counts alone.

    Example:
        >>> short_form(parse_hosts("1x32c128g,2x16c64g"))
        '2x16c64g,1x32c128g'
    """
    kinds, kind = cluster.kinds
    if len(kinds) > _MOST_KINDS:
        return f"{counted(cluster.hosts, 'host')}, {cluster.total[0]:,.0f} {cluster.resources[0]}"
    count = np.bincount(kind)
    forms = {CORES: "{:g}c", MEMORY: "{:g}g", GPUS: "{:g}gpu"}
    units = {MEMORY: GB}
    groups = []
    for k in np.argsort(-count, kind="stable").tolist():
        amounts = dict(zip(cluster.resources, kinds[k].tolist(), strict=True))
        parts = [form.format(amounts[name] / units.get(name, 1)) for name, form in forms.items() if amounts.get(name)]
        groups.append(f"{count[k]}x{''.join(parts)}")
    return ",".join(groups)


def parse_hosts(text: str) -> Cluster:
    """Hosts written in the short form; see `read_hosts`. A resource that no group names is left out.

    Raises:
        InputError: text that is no such form, or prices of some groups alone.
    """
    rows: list[list[float]] = []
    counts: list[int] = []
    prices: list[str | None] = []
    named = [True, False, False]
    for group in text.replace(" ", "").split(","):
        match = _GROUP.fullmatch(group)
        if match is None:
            raise InputError(group, "not a group of hosts", fix=_FIX)
        if match[1] and int(match[1]) == 0:
            raise InputError(group, "a group needs at least one host", fix="correct or remove it")
        named = [True, named[1] or match[3] is not None, named[2] or match[4] is not None]
        rows.append([float(match[2]), float(match[3] or 0) * GB, float(match[4] or 0)])
        counts.append(int(match[1] or 1))
        prices.append(match[5])
    if sum(counts) > MOST_HOSTS:
        raise InputError(text, f"more than {MOST_HOSTS:,} hosts")
    capacity = np.repeat(np.array(rows), counts, axis=0)
    return Cluster(
        tuple(name for name, on in zip((CORES, MEMORY, GPUS), named, strict=True) if on),
        capacity[:, np.flatnonzero(named)],
        price_per_hour=_prices(text, prices, counts),
    )


def _prices(text: str, prices: list[str | None], counts: list[int]) -> Floats | None:
    """float64[H]: the price of every host; None where no group has one."""
    given = [price for price in prices if price is not None]
    if not given:
        return None
    if len(given) < len(prices):
        rule = "some groups of hosts have a price and others none, so what all cost is not known"
        raise InputError(text, rule, fix="give each group its price an hour, as in 2x16c64g@0.8,1x32c128g@1.5")
    return np.repeat(np.array(given, dtype=float), counts)
