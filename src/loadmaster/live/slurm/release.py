"""Releases every job that loadmaster holds: at an uninstall, and when the heartbeat is old."""

from dataclasses import dataclass, field

from loadmaster.live.slurm.actions import lines_of, refusal_of
from loadmaster.live.slurm.commands import Commands
from loadmaster.live.slurm.listing import COMMAND, parse_listing
from loadmaster.live.slurm.mark import of_owner
from loadmaster.live.slurm.work import OURS, is_ours
from loadmaster.model.actions import Withdraw


@dataclass
class Released:
    """What became of the jobs that were held: their names, (name, why) of those that Slurm did not let go,
    and those that another loadmaster holds, with another folder of state: they are left alone.
    """

    done: list[str] = field(default_factory=list)
    failed: list[tuple[str, str]] = field(default_factory=list)
    of_others: list[str] = field(default_factory=list)


def release_all(commands: Commands, owner: str) -> Released:
    """Every waiting job that bears the mark of `owner` goes to Slurm's own scheduler; what its user holds stays held.

    Raises:
        EngineDown: Slurm does not answer.
        InputError: it refuses to list jobs.
    """
    rows, _ = parse_listing(commands.read(*COMMAND))
    released = Released()
    for row in (of_owner(row, owner) for row in rows if row["State"] == "PENDING"):
        if row["admin_comment"].startswith(f"{OURS}:"):
            released.of_others.append(row.id)
        elif is_ours(row):
            action = Withdraw(row.id)
            refusal = refusal_of(action, commands.run("scontrol", text=lines_of(action, named=row.named)))
            if refusal is None:
                released.done.append(row.id)
            elif refusal.kind != "gone":
                released.failed.append((row.id, refusal.text))
    return released
