"""`info` for a running state: its nodes, running and waiting tasks."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loadmaster.system.counted import counted
from loadmaster.verbs.result import Result

if TYPE_CHECKING:
    import polars as pl

    from loadmaster.packing.state_facts import StateFacts
    from loadmaster.report.page import Page


@dataclass(frozen=True, eq=False, repr=False)
class StateDescribed(Result):
    """A running state as `info` describes it.

    Attributes:
        name: of the file.
        facts: what its hosts have, what runs, what waits, what is left.
        known: what was assumed of the file.
    """

    verb = "info"

    name: str
    facts: "StateFacts"
    known: tuple[str, ...] = ()

    @property
    def answer(self) -> str:
        """Nodes, what runs, what waits."""
        facts = self.facts
        waits = f"{facts.waiting:,} wait" + (f", {facts.without_room:,} of them without room" if facts.waiting else "")
        if facts.not_judged:
            held = ", ".join(f"{rule} {pods:,}" for rule, pods in facts.not_judged_rules.items())
            waits += f" and {facts.not_judged:,} not judged ({held})"
        waits += f", {facts.gated:,} are gated" if facts.gated else ""
        runs, owners = counted(facts.running, "pod runs", "pods run"), counted(facts.owners, "owner")
        return f"{counted(facts.hosts, 'node')}; {runs}, {waits}; {owners}"

    @property
    def notes(self) -> tuple[str, ...]:
        """What was assumed of the file."""
        return self.known

    @property
    def figures(self) -> Mapping[str, Any]:
        """The whole result as plain values."""
        figures = asdict(self.facts) | {"rules": [each._asdict() for each in self.facts.rules]}
        del figures["notes"]
        return figures

    @property
    def frame(self) -> "pl.DataFrame":
        """A row for each resource: total, requested, the most that is free on a node, stranded; memory in bytes."""
        import polars as pl

        return pl.DataFrame([asdict(each) for each in self.facts.resources])

    def plot(self) -> Any:
        """How much of every resource is asked: an Altair chart."""
        from loadmaster.report.arrivals_chart import use_chart

        return use_chart(self.facts)

    def room_picture(self) -> Any:
        """There is none.

        Raises:
            InputError: always.
        """
        from loadmaster.model.errors import InputError

        raise InputError("--picture", "no picture: a state is no log, and has no recorded waits", fix="leave it out")

    def page(self) -> "Page":
        """The answer, a row for each resource, the picture."""
        from loadmaster.report.arrivals_chart import state_page

        return state_page(self.name, self.answer, self.notes, self.facts, self.plot())


def described_state(path: Path) -> StateDescribed:
    """The state in a file.

    Raises:
        InputError: it cannot be read.
    """
    from loadmaster.packing.kubernetes_state import read_kubernetes
    from loadmaster.packing.state_facts import state_facts

    state = read_kubernetes(path)
    facts = state_facts(state)
    return StateDescribed(path.name, facts, facts.notes)
