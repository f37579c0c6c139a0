"""`explain` for a task of a placement: why it is on its host and on no other."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from loadmaster.verbs.result import Result

if TYPE_CHECKING:
    import polars as pl

    from loadmaster.packing.task_reasons import TaskReasons
    from loadmaster.report.page import Page
    from loadmaster.verbs.pack import Packed


@dataclass(frozen=True, eq=False, repr=False)
class ExplainedTask(Result):
    """Why a task is where it is, and what would make room for it elsewhere.

    Attributes:
        packed: the placement.
        task: its number among those that were placed.
        top: how many hosts are shown.
        command: the command that makes it again.
        planned: what a plan of `rebalance` does with it, in sentences.
    """

    verb = "explain"

    packed: "Packed"
    task: int
    top: int
    command: str = ""
    planned: tuple[str, ...] = ()

    @cached_property
    def reasons(self) -> "TaskReasons":
        """The hosts, with their room for the task and the reasons against it."""
        from loadmaster.packing.task_reasons import TaskReasons

        return TaskReasons(self.packed.instance, self.packed.packing, self.task, self.packed.pods)

    @cached_property
    def sentences(self) -> list[str]:
        """Where it is, on how many other hosts it could be, and what that would change."""
        from loadmaster.report.placement_explanation import placement_sentences

        where, *elsewhere = placement_sentences(self.packed.instance, self.packed.packing, self.task, self.reasons)
        return [where, *self.planned, *elsewhere]

    @property
    def answer(self) -> str:
        """Where it is."""
        return self.sentences[0]

    @property
    def notes(self) -> tuple[str, ...]:
        """The other sentences."""
        return tuple(self.sentences[1:])

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        """A row for each host as plain values, its own first, then those that it could be on."""
        from loadmaster.report.placement_explanation import host_row

        instance = self.packed.instance
        return [host_row(instance, self.reasons, each) for each in self.reasons.hosts(self.top)]

    @property
    def figures(self) -> dict[str, Any]:
        """The whole result as plain values."""
        name, own = self.packed.instance.task_name(self.task), self.reasons.own
        host = self.packed.instance.host_name(own) if own >= 0 else None
        head = {"task": name, "host": host, "sentences": self.sentences, "open_hosts": self.reasons.open_hosts()}
        return {"placement": {**head, "hosts": self.rows}}

    @property
    def frame(self) -> "pl.DataFrame":
        """A row for each host: what the other tasks leave, the level with the task there, why it may not run there."""
        import polars as pl

        flat = [
            {"host": row["host"], **{f"room_{name}": amount for name, amount in row["room"].items()}}
            | {"level": row["level"], "why_not": "; ".join(row["why_not"]), "without": row["without"]}
            for row in self.rows
        ]
        return pl.DataFrame(flat, infer_schema_length=None)

    def plot(self) -> Any:
        """How full every host is: an Altair chart."""
        return self.packed.plot()

    def page(self) -> "Page":
        """The sentences, and the hosts."""
        from loadmaster.report.page import Page, Table, Text
        from loadmaster.report.page_footer import page_footer
        from loadmaster.report.placement_explanation import table_of_hosts

        heads, cells = table_of_hosts(self.packed.instance, self.rows)
        footer = page_footer({"command": self.command, "placed by": self.packed.command})
        blocks = [*map(Text, self.notes), Table(heads, cells, prose=True), *footer]
        return Page(self.answer, blocks, self.packed.name, "loadmaster explain")


def explain_task(packed: "Packed", name: str, top: int, command: str) -> ExplainedTask:
    """The task called `name`.

    Raises:
        InputError: no such task, or it was not placed because its job was refused.
    """
    from loadmaster.model.errors import InputError
    from loadmaster.rules.near import no_such

    instance = packed.instance
    names = [instance.task_name(task) for task in range(instance.tasks)]
    if name not in names:
        if name in (packed.asked.task_name(task) for task in range(packed.asked.tasks)):
            raise InputError(name, "its job was refused, so it has no host", fix="pack with a lower --admit")
        raise no_such(name, names, what="task", see=f"it has {instance.tasks:,} tasks, such as {names[0]}")
    return ExplainedTask(packed, names.index(name), top, command)
