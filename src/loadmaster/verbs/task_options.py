"""Tasks and the machines that they are to be placed on: options of `pack` and `rebalance`."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from loadmaster.verbs.option import Option, Options
from loadmaster.verbs.time_limit import TIME_LIMIT, limit_s
from loadmaster.verbs.unused_options import refuse_unused

if TYPE_CHECKING:
    from loadmaster.model import Cluster
    from loadmaster.packing.instance import Instance
    from loadmaster.packing.read import TaskFile


@dataclass(frozen=True, kw_only=True)
class TaskOptions(Options):
    """How a table of tasks is read, and how long may be searched."""

    hosts: Annotated[
        "str | Path | Cluster | None",
        Option("Machines: 20x16c64g or a file; kubectl's JSON has them.", reads=True, typed=str | None),
    ] = None
    fluid: Annotated[
        str | Sequence[str], Option("Resources that may be scaled down, separated by commas, or none.", typed=str)
    ] = "cores"
    time_limit: Annotated[float, TIME_LIMIT] = 60.0
    out: Annotated["str | Path | None", Option("Folder for results.", flags=("-o", "--out"), typed=Path | None)] = None

    def __post_init__(self) -> None:
        """See that the time limit is one, and make it seconds: it may be text, such as 5min."""
        super().__post_init__()
        object.__setattr__(self, "time_limit", limit_s(self.time_limit))

    def read(self, tasks: "str | Path | Instance") -> "TaskFile":
        """The tasks, and where they run if the file says so; an instance is what it is.

        Raises:
            InputError: no such file, no hosts, or a value that breaks a rule.
        """
        from loadmaster.packing.read import TaskFile, read_tasks

        if not isinstance(tasks, str | Path):
            refuse_unused(self, ["hosts", "fluid"], "the tasks bring their hosts")
            return TaskFile(tasks)
        names = self.fluid.split(",") if isinstance(self.fluid, str) else self.fluid
        hosts = str(self.hosts) if isinstance(self.hosts, Path) else self.hosts
        wanted = [name.strip() for name in names]
        return read_tasks(Path(tasks), hosts, [] if wanted == ["none"] else wanted)
