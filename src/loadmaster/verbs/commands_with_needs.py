"""Commands and what each requests: a plain file of commands that all request the same, or a table with a row each."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from loadmaster.live.shares.batch import Batch
    from loadmaster.model import Cluster

TABLES = (".csv", ".csv.gz", ".parquet")
"""How the names of files end that are tables."""
_ALONE = ("job", "tasks", "weight", "min_yield", "host")


def read_batch(path: Path, machines: "Cluster", cores: float, memory: str) -> tuple["Batch", tuple[str, ...]]:
    """The commands of a file, for these machines; and what was assumed, one sentence each.

    Args:
        path: one command a line, as `run` takes them; or a table with a column `command` beside those of a table of
            tasks as `pack` takes them: `name`, `cores`, `memory_gb`, `resource_NAME`.
        machines: with names.
        cores: that each command of a plain file requests.
        memory: likewise, with its unit; empty for none.

    Raises:
        InputError: no such file, a value that breaks a rule, or a command that finds room on no machine.
    """
    if is_table(path):
        return _of_table(path, machines)
    return _of_lines(path, machines, cores, memory), ()


def is_table(path: Path) -> bool:
    """Whether the needs stand in the file."""
    return path.name.lower().endswith(TABLES)


def _of_lines(path: Path, machines: "Cluster", cores: float, memory: str) -> "Batch":
    import numpy as np

    from loadmaster.live.bag.commands import read_commands
    from loadmaster.live.shares.batch import Batch
    from loadmaster.model import InputError
    from loadmaster.model.exact_amounts import exact_demand
    from loadmaster.model.units import CORES, MEMORY, parse_bytes

    lines = read_commands(path)
    asks = {CORES: cores, MEMORY: float(parse_bytes(memory)) if memory else 0.0}
    if asks[MEMORY] > 0 and MEMORY not in machines.resources:
        raise InputError(f"--memory {memory}", "these machines have no memory given", fix="give --hosts like 2x1c4g")
    demand = exact_demand(np.tile([asks.get(name, 0.0) for name in machines.resources], (len(lines), 1)))
    return Batch(tuple(lines), tuple(str(row + 1) for row in range(len(lines))), demand, machines)


def _of_table(path: Path, machines: "Cluster") -> tuple["Batch", tuple[str, ...]]:
    from loadmaster.live.shares.batch import Batch
    from loadmaster.model import InputError
    from loadmaster.model.exact_amounts import exact_demand
    from loadmaster.packing.task_table import tasks_of
    from loadmaster.traces.values import words
    from loadmaster.traces.whole_table import whole_table

    table = whole_table(path)
    columns = table.frame.columns
    if "command" not in columns:
        raise InputError(path.name, "no column command in this table", fix="add one", where=str(path))
    if alone := [name for name in _ALONE if name in columns]:
        raise InputError(alone[0], "a command stands alone here: this column is not served", where=str(path))
    commands = words(table.frame["command"]).to_list()
    for row, text in enumerate(commands):
        if not text or "\0" in text:
            raise InputError(str(text or ""), "a row needs a shell command", where=table.where(path, row))
    tasks = tasks_of(path, table._replace(frame=table.frame.drop("command")), machines)
    names = tasks.names or tuple(str(row + 1) for row in range(len(commands)))
    return Batch(tuple(commands), names, exact_demand(tasks.demand), machines), tasks.notes
