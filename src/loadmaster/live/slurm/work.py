"""What one job of the listing requests, holds and waits for, in the model's words; or why the model has none."""

import math
import re
from collections.abc import Collection, Container, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from loadmaster.live.session.engine import CLAIMED, ENDING, HELD, RUNNING
from loadmaster.live.slurm.listing import ListedJob
from loadmaster.model import Cluster
from loadmaster.model.errors import InputError
from loadmaster.model.features import with_terms
from loadmaster.model.gres import GPU, GpuRequest, gpus_in, parse_gres, with_models
from loadmaster.model.host_names import host_names
from loadmaster.model.licences import licences_text, parse_licences
from loadmaster.model.units import MB, MEMORY, UNLIMITED_S, parse_bytes
from loadmaster.site.times import duration_s
from loadmaster.traces.slurm_features import features_asked, hosts_asked_for

OURS = "loadmaster"
"""What the hook at submission writes beside a job that it holds for us."""
HELD_TOO = ":01"
"""The end of the `DelayBoot` of a job that a user or administrator holds as well, as the same hook writes it."""
ENDED = {
    "COMPLETED": "ok", "FAILED": "failed", "TIMEOUT": "timeout", "CANCELLED": "cancelled", "PREEMPTED": "preempted",
    "NODE_FAIL": "node_fail", "OUT_OF_MEMORY": "failed", "BOOT_FAIL": "node_fail", "DEADLINE": "timeout",
    "REVOKED": "cancelled",
}  # fmt: skip
UNFIT = "BadConstraints"
"""Why Slurm holds a job that the hosts it may have can never serve."""
_RUNS = ("RUNNING", "CONFIGURING", "STAGE_OUT", "SIGNALING", "STOPPED", "SUSPENDED", "RESIZING")
_HOLDS = {"JobHeldUser": 1, "JobHeldAdmin": 2, "launch": 2, "JobHoldMaxRequeue": 2}
_TRACKED = re.compile(r"(?:^|,)([a-z_/:.\w-]+)=([0-9]+(?:\.[0-9]+)?)([KMGTP]?)")
KEEPS_HOSTS = ("USER", "MCS", "TOPO")
"""What OverSubscribe says of a job whose hosts take only jobs of its user or its group."""
_ASKED = ("tres-per-job", "tres-per-node", "tres-per-task", "tres-per-socket")
"""Columns of what a job requests, whether Slurm tracks it or not."""


@dataclass(frozen=True)
class SlurmJob:
    """One job that is not over.

    Attributes:
        hosts: how many it needs, each holding one task.
        cores, memory, gpus: of each task; memory in bytes.
        whole: it shares its hosts with no job.
        all_memory: it gets all memory of its hosts, as it requests none.
        on: the hosts it has, or that it has been pinned to, by name.
        state: a code of `STATES`.
        hold: a code of `HOLDS`.
        features: of the hosts it may use, as long as it waits; the model of GPU that it names is among them.
        licences: those of the site that it requests or holds, with their amounts.
    """

    row: ListedJob
    state: int
    hosts: int
    cores: float
    memory: float
    gpus: float
    limit_s: float
    whole: bool
    on: tuple[str, ...]
    hold: int = 0
    all_memory: bool = False
    features: str = ""
    licences: str = ""


def work_of(
    row: ListedJob,
    *,
    looks_on: bool,
    counts_memory: bool,
    gpu_models: Mapping[str, str],
    gpu_counts: Mapping[str, Sequence[int]],
    licences: Container[str] = (),
    shared: Collection[str] = (),
) -> SlurmJob | str:
    """The job of a row, or why it has to be left out.

    Args:
        row: of the listing, of a job that is not over.
        looks_on: all that waits counts as held for us.
        counts_memory: the site counts memory, so that a job that requests none gets all that its host has.
        gpu_models: those that a job may name, each with the feature that its hosts need, "" for none.
        gpu_counts: of each model, "" for any, how many GPUs every host has that has some.
        licences: the names of those that the site counts.
        shared: the partitions in which several jobs may use the same cores.

    Raises:
        InputError: a cell that Slurm never writes.
    """
    state = state_of(row, looks_on=looks_on)
    held = _tracked(row["tres-alloc"])
    cores = float(_whole(row["NumCPUs"]))
    waits = state in (HELD, CLAIMED)
    nodes = _hosts_asked(row, held) if waits else max(1, _whole(row["NumNodes"]))
    if waits and (reason := _why_not(row, state, nodes, cores, gpu_models, shared)):
        return reason
    asked = _licences(row, licences)
    if waits and asked is None:
        return f"requests licences that slurm.conf does not count ({row['Licenses']})"
    if waits and not _lie_evenly(row, nodes, gpu_counts):
        return "more GPUs than any host has: how many it gets on each host is not known"
    all_memory = waits and counts_memory and row["MinMemory"] in ("", "0")  # Slurm tells that of some host
    memory = 0.0 if all_memory else held.get("mem", 0.0) / nodes
    return SlurmJob(
        row,
        state,
        nodes,
        cores / nodes,
        memory,
        _gpus_of_host(row, nodes),
        limit_s(row["TimeLimit"]),
        waits and row["OverSubscribe"] == "NO",
        host_names(row["NodeList"] if not waits else _pin(row, state)),
        _hold(row, state),
        all_memory,
        _features(row, nodes, gpu_models) if waits else "",
        asked or "",
    )


def with_all_memory(works: list[SlurmJob], cluster: Cluster) -> list[SlurmJob]:
    """Jobs that get all memory of a host request so much; where hosts differ in it, for the host itself.

    Either way no other job runs beside them. But only so do their cores, which limits count, equal their request.
    """
    if not any(work.all_memory for work in works):
        return works
    memory = cluster.capacity[:, cluster.resources.index(MEMORY)]
    parts = {} if cluster.rules is None else {part.name: part.hosts for part in cluster.rules.partitions}
    sizes: dict[str, set[float]] = {}
    for text in {work.row["Partition"] for work in works if work.all_memory}:
        hosts = [parts.get(name.strip()) for name in text.split(",")]
        amounts = [memory if each is None else memory[list(each)] for each in hosts]
        sizes[text] = set(np.concatenate(amounts).tolist())
    return [
        work
        if not work.all_memory
        else replace(work, memory=next(iter(sizes[work.row["Partition"]])))
        if len(sizes[work.row["Partition"]]) == 1 and not work.whole
        else replace(work, whole=True)
        for work in works
    ]


def _licences(row: ListedJob, counted: Container[str]) -> str | None:
    """What the job requests of the licences that are counted; None if it requests another, or one of several."""
    if not row["Licenses"]:
        return ""
    try:
        asked = parse_licences(row["Licenses"])
    except InputError:
        return None
    return licences_text(asked) if all(name in counted for name, _ in asked) else None


def _pin(row: ListedJob, state: int) -> str:
    """The hosts that a waiting job was pinned to; a job that is held has its own ones back, unless they are refused."""
    return "" if state == HELD and row.named and row["Reason"] != UNFIT else row["ReqNodes"]


def _features(row: ListedJob, nodes: int, gpu_models: Mapping[str, str]) -> str:
    features = features_asked(row["Feature"], nodes) if row["Feature"] else ""
    models = sorted({each.model for name in _ASKED for each in parse_gres(row[name]) if each.kind == GPU})
    features = with_models(features, (model for model in models if gpu_models.get(model)))
    return with_terms(features, hosts_asked_for(row.named if _names_all(row, nodes) else "", row.excluded))


def _names_all(row: ListedJob, nodes: int) -> bool:
    """Whether it names as many hosts as it takes."""
    return len(set(host_names(row.named))) == nodes


def _gpus_of_host(row: ListedJob, nodes: int) -> float:
    """GPUs on each host of a job; those requested on a node where Slurm does not track GPUs."""
    counts = (_whole(row[name]) for name in ("NumTasks", "ntpernode", "Sockets"))
    request = GpuRequest(*(gpus_in(row[name]) for name in _ASKED), *counts)
    return (gpus_in(row["tres-alloc"]) or float(request.total(nodes))) / nodes


def _hosts_asked(row: ListedJob, held: dict[str, float]) -> int:
    """Of a job that waits; one task of several CPUs lies on one host, though squeue guesses two while it is held."""
    if row["NumCPUs"] == row["cpus-per-task"] != "1":
        return max(1, int(held.get("node", 1)))
    most = _whole(row["MaxNodes"])  # of `-N1 -n 17` squeue guesses two hosts where none has 17 CPUs
    return max(1, min(_whole(row["NumNodes"]), most) if most else _whole(row["NumNodes"]))


def state_of(row: ListedJob, *, looks_on: bool) -> int:
    """The state of a job in `squeue` as a code of `STATES`; a shadow (`looks_on`) takes all that wait for held."""
    word = row["State"]
    if word in ("COMPLETING", "STAGE_OUT"):
        return ENDING
    if word in _RUNS:
        return RUNNING
    return HELD if looks_on or row["PriorityLong"] == "0" else CLAIMED


def is_ours(row: ListedJob) -> bool:
    """It has the mark of our hook, and no other hold."""
    held_too = row["PriorityLong"] == "0" and row["DelayBoot"].endswith(HELD_TOO)
    return row["admin_comment"] == OURS and not held_too


def is_over(row: ListedJob) -> bool:
    """It will not run any more."""
    return row["State"] in ENDED


def _hold(row: ListedJob, state: int) -> int:
    """Holds on the job beside loadmaster's own: those of its user or of an administrator."""
    if state != HELD or row["PriorityLong"] != "0" or is_ours(row):
        return 0
    return _HOLDS.get(row["Reason"], 1)


def _why_not(
    row: ListedJob,
    state: int,
    nodes: int,
    cores: float,
    gpu_models: Mapping[str, str],
    shared: Collection[str],
) -> str:
    """Why the model has no words for a waiting job; empty if it has."""
    if row.cut:
        return f"{row.cut} is longer than the listing shows"
    if "+" in row.id:
        return "a part of a heterogeneous job"
    if row["admin_comment"].startswith(f"{OURS}:"):
        return "another loadmaster holds it, with another --state"
    if row["OverSubscribe"] in KEEPS_HOSTS:
        return f"wants hosts with jobs of some users only (--exclusive={row['OverSubscribe'].lower()})"
    if row["OverSubscribe"] in ("YES", "FORCE") and (part := set(row["Partition"].split(",")) & set(shared)):
        return f"may share its cores with other jobs (--oversubscribe in the partition {min(part)})"
    if other := next((row[name] for name in _ASKED if not _is_modelled(row[name], gpu_models)), ""):
        return f"requests {other}"
    if state == HELD and row.named and not _names_all(row, nodes):
        return f"names only some of its hosts (-w {row.named})"
    if row["Feature"]:
        try:
            features_asked(row["Feature"], nodes)
        except InputError:
            return f"requests features of some of its hosts ({row['Feature']})"
    if nodes > 1 and not _is_even(row, nodes, cores):
        return "several hosts without --ntasks-per-node or --exclusive: its cores on each host are not known"
    if _gpus_of_host(row, nodes) % 1:
        return "several hosts with GPUs that do not divide evenly over them"
    return ""


def _is_modelled(gres: str, gpu_models: Mapping[str, str]) -> bool:
    """Whether a list of TRES holds only processors and GPUs, of models that a job may name."""
    try:
        return all(
            each.kind == "cpu" or (each.kind == GPU and each.model in ("", *gpu_models)) for each in parse_gres(gres)
        )
    except InputError:
        return False


def _is_even(row: ListedJob, nodes: int, cores: float) -> bool:
    """Whether each of its hosts gives as many cores."""
    if cores % nodes:
        return False
    return row["OverSubscribe"] == "NO" or cores == nodes or _whole(row["ntpernode"]) > 0


def _lie_evenly(row: ListedJob, nodes: int, gpu_counts: Mapping[str, Sequence[int]]) -> bool:
    """Whether so many hosts have a fair share of the GPUs of a whole job, which Slurm spreads as it likes."""
    gpus = [each for each in parse_gres(row["tres-per-job"]) if each.kind == GPU]
    return all(sum(has * nodes >= each.number for has in gpu_counts.get(each.model, ())) >= nodes for each in gpus)


def limit_s(text: str) -> float:
    """The time limit of a job in seconds; very long where it has none."""
    try:
        seconds = duration_s(text) if text else math.inf
    except InputError:  # Partition_Limit, INVALID
        seconds = math.inf
    return UNLIMITED_S if math.isinf(seconds) else max(1.0, seconds)


def _tracked(text: str) -> dict[str, float]:
    """Amounts in a text such as `cpu=2,mem=2000M,gres/gpu=1`, memory in bytes.

    Example:
        >>> _tracked("cpu=2,mem=2G,node=1")["mem"] == 2 * 2**30
        True
    """
    tracked = {}
    for name, amount, unit in _TRACKED.findall(text):
        if name == "mem":
            tracked[name] = float(parse_bytes(f"{amount}{unit}")) if unit else float(amount) * MB
        else:
            tracked[name] = float(amount)
    return tracked


def _whole(text: str) -> int:
    """A count as `squeue` writes it, `2`, `2-4` (the least) or `1.5K`; 0 for none."""
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)([KM]?)(?:-.*)?", text)
    return round(float(match[1]) * {"": 1, "K": 1024, "M": 1024**2}[match[2]]) if match else 0
