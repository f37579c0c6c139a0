"""Shows in the administrator's comment of a job why loadmaster does not start it, as Slurm only says `JobHeldUser`."""

from collections.abc import Sequence

from loadmaster.live.queue.ledger import Ledger
from loadmaster.model.actions import Action, Explain, Start

MOST = 20
"""So many jobs a cycle, since each takes a call of Slurm."""


class Reasons:
    """See `loadmaster.live.queue.decider.Beside`: asks for what is not shown yet, and takes away what is over.

    Tasks of arrays are passed over: Slurm would take each out of its array, which thousands of tasks share.
    """

    def __init__(self) -> None:
        self._shown: dict[str, str] = {}

    def __call__(self, ledger: Ledger, starts: Sequence[Start]) -> list[Action]:
        """What to ask in this cycle."""
        wanted = {name: why for name, why in ledger.left_out() if name in ledger.rows and "_" not in name}
        self._shown = {name: why for name, why in self._shown.items() if name in ledger.rows}
        fresh = [(name, why) for name, why in wanted.items() if self._shown.get(name) != why]
        over = [(name, "") for name in self._shown if name not in wanted]
        jobs = [*fresh, *over][:MOST]
        for name, why in jobs:
            if why:
                self._shown[name] = why
            else:
                del self._shown[name]
        return [Explain(name, why) for name, why in jobs]
