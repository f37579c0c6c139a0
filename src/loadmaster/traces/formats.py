"""Every format of logs: what it is, how to recognise it, and its reader, which is loaded when it is used."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from loadmaster.system.lazy import later

if TYPE_CHECKING:
    from loadmaster.traces.options import ReadOptions
    from loadmaster.traces.trace import Trace


class Head(NamedTuple):
    """The beginning of a file: its name in lower case without .gz, the first line of its table or log, and all of it.

    Comments and names of clusters above a table are passed over.
    """

    name: str
    line: str
    text: str = ""


class Format(NamedTuple):
    """A kind of log: what it is, how to tell it, how to read it, and the names of machine files beside it.

    `takes` names the fields of `ReadOptions` that only some readers look at, of those that this one does.
    """

    summary: str
    fits: Callable[[Head], bool]
    read: "Callable[[Path, ReadOptions], Trace]"
    machines: tuple[str, ...] = ()
    takes: frozenset[str] = frozenset()


SWF_ALONE = frozenset({"swf_memory", "memory_unit", "swf_partition", "swf_feedback"})
"""Fields of `ReadOptions` that only the reader of SWF looks at, but for the unit."""
SLURM_ALONE = frozenset({"cluster"})
"""Those that only the reader of Slurm's logs looks at."""
TABLES_ALONE = frozenset({"columns", "memory_unit"})
"""Those that only readers of tables with named columns look at."""

_BESIDE = ("{stem}.hosts.csv",)
_is_pbs = later("loadmaster.traces.pbs", "is_pbs")
_is_lsf = later("loadmaster.traces.lsf", "is_lsf")
_is_sge = later("loadmaster.traces.sge", "is_sge")
_is_htcondor = later("loadmaster.traces.htcondor", "is_htcondor")
_is_kueue = later("loadmaster.traces.kueue", "is_kueue")
_is_kubernetes_events = later("loadmaster.traces.kubernetes_events", "is_kubernetes_events")
_is_google = later("loadmaster.traces.google", "is_google")
_is_alibaba2017 = later("loadmaster.traces.alibaba2017", "is_alibaba2017")
_is_alibaba2018 = later("loadmaster.traces.alibaba2018", "is_alibaba2018")
_is_slurm = later("loadmaster.traces.slurm_layout", "is_slurm")
_is_slurm_json = later("loadmaster.traces.slurm_layout", "is_slurm_json")
_is_slurm_shown = later("loadmaster.traces.slurm_layout", "is_slurm_shown")

FORMATS: dict[str, Format] = {
    "pbs": Format(
        "PBS and Torque: accounting log", lambda head: _is_pbs(head.line),
        later("loadmaster.traces.pbs", "read_pbs"), _BESIDE,
    ),
    "lsf": Format(
        "LSF: lsb.acct", lambda head: _is_lsf(head.line), later("loadmaster.traces.lsf", "read_lsf"), _BESIDE
    ),
    "sge": Format(
        "Grid Engine: accounting file", lambda head: _is_sge(head.line),
        later("loadmaster.traces.sge", "read_sge"), _BESIDE,
    ),
    "htcondor": Format(
        "HTCondor: history, also as JSON", lambda head: _is_htcondor(head.text),
        later("loadmaster.traces.htcondor", "read_htcondor"), _BESIDE,
    ),
    "kueue": Format(
        "Kueue: workloads, as kubectl prints them with -o json", lambda head: _is_kueue(head.text),
        later("loadmaster.traces.kueue", "read_kueue"), _BESIDE,
    ),
    "kubernetes": Format(
        "Kubernetes: events and pods, as kubectl prints them with -o json",
        lambda head: _is_kubernetes_events(head.text),
        later("loadmaster.traces.kubernetes_events", "read_kubernetes_events"), _BESIDE,
    ),
    "google": Format(
        "Google: task events 2011, instance events 2019", lambda head: _is_google(head.line),
        later("loadmaster.traces.google", "read_google"),
    ),
    "alibaba2018": Format(
        "Alibaba cluster trace 2018: batch_task.csv", lambda head: _is_alibaba2018(head.line),
        later("loadmaster.traces.alibaba2018", "read_alibaba2018"),
    ),
    "azure2020": Format(
        "Azure trace for packing 2020: requests for virtual machines", lambda _: False,
        later("loadmaster.traces.azure2020", "read_azure2020"),
    ),
    "swf": Format(
        "Standard Workload Format of the Parallel Workloads Archive",
        lambda head: head.name.endswith(".swf") or len(re.findall(r"(?:^|\s)[-+\d.eE]+(?=\s|$)", head.line)) >= 11,
        later("loadmaster.traces.swf", "read_swf"),
        ("{stem}.swf.machines", "{stem}.machines", "{stem}.hosts.csv"), SWF_ALONE,
    ),
    "openb": Format(
        "Alibaba GPU cluster 2023: pods", lambda head: "cpu_milli" in head.line,
        later("loadmaster.traces.openb", "read_openb"), ("openb_node_list*",),
    ),
    "alibaba2017": Format(
        "Alibaba cluster trace 2017: batch_task.csv", lambda head: _is_alibaba2017(head.line),
        later("loadmaster.traces.alibaba2017", "read_alibaba2017"), ("*server_event.csv*",),
    ),
    "slurm": Format(
        "Slurm: sacct, squeue or scontrol show job, with bars, commas, in fixed columns or as JSON",
        lambda head: (
            _is_slurm_shown(head.text)
            or head.line.count("|") >= 3 or _is_slurm(head.line) or _is_slurm_json(head.text)
        ),
        later("loadmaster.traces.slurm", "read_slurm"), _BESIDE, SLURM_ALONE,
    ),
    "csv": Format(
        "job table with named columns", lambda head: "," in head.line,
        later("loadmaster.traces.job_table", "read_csv"), _BESIDE, TABLES_ALONE,
    ),
    "parquet": Format(
        "job table with named columns, as Parquet", lambda _: False,
        later("loadmaster.traces.job_table", "read_parquet"), _BESIDE, TABLES_ALONE,
    ),
}  # fmt: skip
"""Every format, in the order in which they are tried. Parquet and SQLite are recognised by their first bytes."""
