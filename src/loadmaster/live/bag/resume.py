"""Resumes a bag: takes over commands that ended in earlier starts, and lists commands to run again."""

from collections.abc import Callable, Sequence

from loadmaster.live.bag.command import outcome_in
from loadmaster.live.bag.config import BagConfig, task_folder
from loadmaster.live.bag.earlier_starts import EarlierStarts
from loadmaster.live.session.decider import Line


def take_up(
    earlier: EarlierStarts,
    commands: Sequence[str],
    config: BagConfig,
    tell: Callable[[int, str], None],
    say: Callable[[str], None],
) -> list[Line]:
    """Bring `earlier` up to what is so now; the lines that say so in the log.

    Args:
        earlier: changed in place.
        commands: of the bag.
        config: of this start.
        tell: told of every command that runs once more, and why.
        say: a sentence for the user.
    """
    if config.retry_failed:
        _take_up_failed(earlier, tell)
    return _adopt(earlier, commands, config, tell, say)


def _take_up_failed(earlier: EarlierStarts, tell: Callable[[int, str], None]) -> None:
    """Commands that failed for good count as not done."""
    for line, code in sorted(earlier.done.items()):
        if code != 0:
            del earlier.done[line]
            tell(line, f"ended with {code} in an earlier run, is to be tried again")


def _adopt(
    earlier: EarlierStarts,
    commands: Sequence[str],
    config: BagConfig,
    tell: Callable[[int, str], None],
    say: Callable[[str], None],
) -> list[Line]:
    """Commands that were running when the last start stopped: ended all the same, or to be run again.

    The lines bear no time: they belong to no session, and must not make the last one cheaper than it was.
    """
    lines: list[Line] = []
    for line, attempts in earlier.open.items():
        outcomes = (outcome_in(task_folder(config.folder, line, attempt)) for attempt in attempts)
        mine = (o for o in outcomes if o is not None and o["command"] == commands[line - 1])
        outcome = next((o for o in mine if o["exit_code"] == 0), None)
        if outcome is None:
            tell(line, "was running when the last run stopped, is to be run again")
            continue
        earlier.done[line] = 0
        earlier.seconds.append(outcome["seconds"])
        lines.append(
            {
                "event": "finished",
                "host": -1,
                "task": line,
                "exit": 0,
                "seconds": outcome["seconds"],
                "adopted": True,
            }
        )
        say(f"task {line} had ended although the last run was stopped; its result is kept")
    return lines
