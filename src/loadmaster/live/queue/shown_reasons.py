"""Asks an engine to show the reason of each wait beside its job: once, and again when the reason changes."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

from loadmaster.live.queue.ledger import Ledger
from loadmaster.model.actions import Action, Explain, Start

MOST = 20
"""So many jobs a cycle, since each takes a call of the engine."""


class ShownReasons(ABC):
    """See `loadmaster.live.queue.decider.Beside`: requests what is not shown yet, and takes away what is over."""

    def __init__(self) -> None:
        self._shown: dict[str, str] = {}

    @abstractmethod
    def wanted(self, ledger: Ledger) -> Mapping[str, str]:
        """The reason of each job that is to be shown, by the engine's names of jobs."""

    def __call__(self, ledger: Ledger, starts: Sequence[Start]) -> list[Action]:
        """What to ask in this cycle."""
        wanted = self.wanted(ledger)
        self._shown = {name: why for name, why in self._shown.items() if name in ledger.rows or name in wanted}
        fresh = [(name, why) for name, why in wanted.items() if self._shown.get(name) != why]
        over = [(name, "") for name in self._shown if name not in wanted]
        jobs = [*fresh, *over][:MOST]
        for name, why in jobs:
            if why:
                self._shown[name] = why
            else:
                del self._shown[name]
        return [Explain(name, why) for name, why in jobs]
