"""Shows in the administrator's comment of a job why loadmaster does not start it, as Slurm only says `JobHeldUser`."""

from loadmaster.live.queue.ledger import Ledger
from loadmaster.live.queue.shown_reasons import ShownReasons


class Reasons(ShownReasons):
    """Of jobs that are not decided on.

    Tasks of arrays are passed over: Slurm would take each out of its array, which thousands of tasks share.
    """

    def wanted(self, ledger: Ledger) -> dict[str, str]:
        """See `ShownReasons`."""
        return {name: why for name, why in ledger.left_out() if name in ledger.rows and "_" not in name}
