"""Machines that a log shows, as `--hosts` takes them: in the short form, or as a file to correct."""

import re
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from loadmaster.measure.observed_hosts import ObservedHosts
    from loadmaster.model import Workload
    from loadmaster.model.arrays import Floats

MOST_KINDS = 6
"""Kinds of hosts in the short form; further kinds count as the smallest of these that has as much."""
ENDINGS = (".yaml", ".yml", ".conf", ".csv")
_PLAIN = re.compile(r"[\w.-]+", re.ASCII)


def short_hosts(seen: "ObservedHosts", workload: "Workload") -> str:
    """The guess in the short form of `--hosts`, the most frequent kind first; no cluster name, no partition.

    Args:
        seen: what the log shows of its machines.
        workload: its jobs.
    """
    return ",".join(f"{count}x{_amounts(seen, kind)}" for count, kind in host_kinds(seen, workload))


def host_kinds(seen: "ObservedHosts", workload: "Workload") -> "list[tuple[int, Floats]]":
    """Counts and amounts float64[R] of the kinds of hosts.

    Where a log names no host, they are the fewest that could hold its jobs.

    These are as large as the largest task, in powers of two, and as many as the most use at once needs.
    """
    import numpy as np

    if not seen.hosts:
        size = _size_of_largest(seen, workload)
        ratios = [ceil(peak / each) for peak, each in zip(seen.peak.tolist(), size.tolist(), strict=True) if each > 0]
        return [(max(1, *ratios), size)]
    rows, kind = np.unique(seen.guess, axis=0, return_inverse=True)
    count = np.bincount(kind.ravel(), minlength=len(rows))
    order = np.argsort(-count, kind="stable")
    first, rest = order[:MOST_KINDS], order[MOST_KINDS:]
    kinds = [[int(count[k]), rows[k]] for k in first.tolist()]
    for k in rest.tolist():
        larger = [each for each in kinds if (each[1] >= rows[k]).all()]
        if larger:
            min(larger, key=lambda each: float(each[1][0]))[0] += int(count[k])
        else:
            kinds.append([int(count[k]), rows[k]])
    return [(number, amounts) for number, amounts in kinds]


def _size_of_largest(seen: "ObservedHosts", workload: "Workload") -> "Floats":
    import numpy as np

    from loadmaster.model.units import GB, MEMORY

    units = np.array([GB if name == MEMORY else 1.0 for name in seen.resources])
    largest = workload.demand.max(axis=0, initial=0.0) / units
    return np.asarray(np.where(largest > 0, 2.0 ** np.ceil(np.log2(np.maximum(largest, 1.0))), 0.0) * units)


def _amounts(seen: "ObservedHosts", amounts: "Floats") -> str:
    from loadmaster.model.units import CORES, GB, GPUS, MEMORY

    forms = {CORES: (1.0, "c"), MEMORY: (GB, "g"), GPUS: (1.0, "gpu")}
    named = dict(zip(seen.resources, amounts.tolist(), strict=True))
    return "".join(f"{named[name] / size:.0f}{letters}" for name, (size, letters) in forms.items() if named.get(name))


def write_hosts_file(path: Path, seen: "ObservedHosts", workload: "Workload") -> None:
    """Write the guess as a file that `--hosts` reads: YAML, CSV, or a slurm.conf that `--site` reads too.

    Raises:
        InputError: another ending, or a file that cannot be written.
    """
    from loadmaster.model.errors import InputError
    from loadmaster.system.whole_file import write_whole

    form = path.suffix.lower()
    if form not in ENDINGS:
        raise InputError(path.name, "no known ending for a file of hosts", fix="end it in .yaml, .csv or .conf")
    lines = {".conf": _slurm_lines, ".csv": _csv_lines}.get(form, _yaml_lines)(seen, workload)
    write_whole(path, "\n".join([*lines, ""]))


def _head(seen: "ObservedHosts", workload: "Workload") -> list[str]:
    lines = [
        f"# The machines of {workload.source or 'a log'}, as the log shows them. Correct this file before you use it."
    ]
    if seen.hosts:
        lines += [
            f"# Sure: {seen.hosts:,} hosts ran jobs, and jobs requested at once what 'at least' says.",
            "# Guessed: hosts with like names that ran jobs of the same partitions are equal. Idle hosts are not seen.",
        ]
    else:
        lines += ["# Sure: jobs held so much at once. Guessed: the size of a host, so their number. No host is named."]
    return lines


def _rows(seen: "ObservedHosts", workload: "Workload") -> "list[tuple[str, int, Floats, tuple[str, ...], Floats]]":
    """Name, count, guessed amounts, partitions and sure amounts of each row; an empty name where none is known."""
    if not seen.hosts:
        ((count, amounts),) = host_kinds(seen, workload)
        return [("", count, amounts, (), seen.peak)]
    return list(zip(seen.names, [1] * seen.hosts, seen.guess, seen.partitions, seen.at_least, strict=True))


def _yaml_lines(seen: "ObservedHosts", workload: "Workload") -> list[str]:
    lines = _head(seen, workload)
    for name, count, amounts, partitions, sure in _rows(seen, workload):
        cells = [f"name: {_quoted(name)}"] if name else [f"count: {count}"]
        cells += [f"{column}: {text}" for column, text in _cells(seen, amounts)]
        cells += [f"partitions: {_quoted('&'.join(partitions))}"] if partitions else []
        at_least = ", ".join(f"{column} {text}" for column, text in _cells(seen, sure))
        lines.append(f"- {{{', '.join(cells)}}}  # at least: {at_least}")
    return lines


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _csv_lines(seen: "ObservedHosts", workload: "Workload") -> list[str]:
    import polars as pl

    from loadmaster.traces.spreadsheet import harmless

    rows = _rows(seen, workload)
    columns = [column for column, _ in _cells(seen, seen.guess.max(axis=0) if seen.hosts else rows[0][2])]
    table: dict[str, list[str]] = {"name" if seen.hosts else "count": [name or str(count) for name, count, *_ in rows]}
    for column in columns:
        table[column] = [dict(_cells(seen, amounts)).get(column, "0") for _, _, amounts, *_ in rows]
    if any(partitions for *_, partitions, _ in rows):
        table["partitions"] = ["&".join(partitions) for *_, partitions, _ in rows]
    return harmless(pl.DataFrame(table)).write_csv().splitlines()


def _cells(seen: "ObservedHosts", amounts: "Floats") -> list[tuple[str, str]]:
    """Columns of a host table and their texts, of what there is."""
    from loadmaster.model.units import GB, MEMORY

    cells = []
    for name, amount in zip(seen.resources, amounts.tolist(), strict=True):
        if amount > 0:
            text = f"{amount / GB:.4g}GiB" if name == MEMORY else f"{amount:g}"
            cells.append((name if name in ("cores", "memory", "gpus") else f"resource_{name}", text))
    return cells


def _slurm_lines(seen: "ObservedHosts", workload: "Workload") -> list[str]:
    import numpy as np

    from loadmaster.model.errors import InputError
    from loadmaster.model.host_names import bracketed

    lines = _head(seen, workload)
    if not seen.hosts:
        ((count, amounts),) = host_kinds(seen, workload)
        last = f"node[1-{count}]" if count > 1 else "node1"
        lines.append(f"NodeName={last} {_slurm_amounts(seen, amounts)} State=UNKNOWN")
        return lines + _partitions_of_all_hosts(workload)
    odd = next((each for each in (*seen.names, *sum(seen.partitions, ())) if not _PLAIN.fullmatch(each)), None)
    if odd is not None:
        rule = "a name in slurm.conf has letters, digits, dots and dashes only"
        raise InputError(odd, rule, fix="write a .yaml or .csv file")
    members: dict[str, list[str]] = {}
    for name, partitions in zip(seen.names, seen.partitions, strict=True):
        for each in partitions:
            members.setdefault(each, []).append(name)
    for kind in np.unique(seen.kind).tolist():
        those = np.flatnonzero(seen.kind == kind).tolist()
        least = ", ".join(f"{column} {text}" for column, text in _cells(seen, seen.at_least[those].min(axis=0)))
        lines.append(f"# Each of these {len(those):,} hosts has at least: {least}")
        names = bracketed([seen.names[k] for k in those])
        lines.append(f"NodeName={names} {_slurm_amounts(seen, seen.guess[those[0]])} State=UNKNOWN")
    for partition, hosts in members.items():
        lines.append(f"PartitionName={partition} Nodes={bracketed(hosts)} State=UP")
    return lines if members else lines + _partitions_of_all_hosts(workload)


def _partitions_of_all_hosts(workload: "Workload") -> list[str]:
    """A partition of all hosts for each that the jobs name, or one; a site without a partition has no queue."""
    column = None if workload.constraints is None else workload.constraints.partition
    named = () if column is None else column.names
    names = sorted({each for text in named for each in text.split(",") if _PLAIN.fullmatch(each)}) or ["main"]
    head = "# Guessed: the log does not say which hosts a partition has."
    return [head, *(f"PartitionName={name} Nodes=ALL State=UP" for name in names)]


def _slurm_amounts(seen: "ObservedHosts", amounts: "Floats") -> str:
    from loadmaster.model.units import CORES, GPUS, MEMORY

    named = dict(zip(seen.resources, amounts.tolist(), strict=True))
    parts = [f"CPUs={named[CORES]:.0f}"]
    parts += [f"RealMemory={ceil(named[MEMORY] / 2**20)}"] if named.get(MEMORY) else []
    parts += [f"Gres=gpu:{named[GPUS]:.0f}"] if named.get(GPUS) else []
    return " ".join(parts)
