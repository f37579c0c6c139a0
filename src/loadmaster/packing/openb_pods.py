"""Alibaba's pod lists of 2023 ("openb") as tasks that all run at once."""

from pathlib import Path

import numpy as np

from loadmaster.model import Cluster, InputError
from loadmaster.model.units import CORES, GPUS, MB, MEMORY
from loadmaster.packing.task_table import Tasks, checked, demand_on
from loadmaster.traces.openb import MILLI
from loadmaster.traces.values import numbers, words
from loadmaster.traces.whole_table import WholeTable

FIELDS = ("name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli")


def openb_tasks(path: Path, table: WholeTable, cluster: Cluster) -> Tasks:
    """Cores from thousandths, memory from MiB, GPUs from their count or the shared fraction of one, and their models.

    Raises:
        InputError: a column is missing, or a value is no amount.
    """
    frame = table.frame
    lacking = [name for name in FIELDS if name not in frame.columns]
    if lacking:
        raise InputError(", ".join(lacking), "openb's pod list has this column", where=str(path))
    amount = {
        name: checked(numbers(frame[name]), name, path, table, default=MILLI if name == "gpu_milli" else 0.0)
        for name in FIELDS[1:]
    }
    asked = {
        CORES: amount["cpu_milli"] / MILLI,
        MEMORY: amount["memory_mib"] * MB,
        GPUS: np.where(amount["num_gpu"] == 1, amount["gpu_milli"] / MILLI, amount["num_gpu"]),
    }
    kinds = tuple(words(frame["gpu_spec"]).fill_null("").to_list()) if "gpu_spec" in frame.columns else ()
    demand, missing = demand_on(cluster, asked, path)
    names = tuple(words(frame["name"]).fill_null("?").to_list())
    return Tasks(demand, names, job_names=names, gpu_kind=kinds if any(kinds) else (), notes=tuple(missing))
