"""Lets go of every job that is held for us: at an uninstall, and when we are dead for long."""

from dataclasses import dataclass, field

from loadmaster.live.slurm.acting import lines_of, refusal_of
from loadmaster.live.slurm.commands import Commands
from loadmaster.live.slurm.listing import COMMAND, parse_listing
from loadmaster.live.slurm.work import is_ours
from loadmaster.model.actions import Withdraw


@dataclass
class Released:
    """What became of the jobs that were held: their names, and (name, why) of those that Slurm did not let go."""

    done: list[str] = field(default_factory=list)
    failed: list[tuple[str, str]] = field(default_factory=list)


def release_all(commands: Commands) -> Released:
    """Every waiting job that bears our mark goes to Slurm's own scheduler; what its user holds stays held.

    Raises:
        EngineDown: Slurm does not answer.
        InputError: it refuses to list jobs.
    """
    rows, _ = parse_listing(commands.read(*COMMAND))
    released = Released()
    for row in rows:
        if row["State"] == "PENDING" and is_ours(row):
            action = Withdraw(row.id)
            refusal = refusal_of(action, commands.run("scontrol", text=lines_of(action)))
            if refusal is None:
                released.done.append(row.id)
            elif refusal.kind != "gone":
                released.failed.append((row.id, refusal.text))
    return released
