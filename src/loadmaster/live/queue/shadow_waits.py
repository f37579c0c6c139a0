"""Mean waits of a shadow so far: at the site, in the simulated queue, and in the model of the site (rule X16)."""

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from loadmaster.live.queue.check import scheduler_in
from loadmaster.live.queue.observed_history import ObservedHistory, observed_history_in
from loadmaster.live.queue.own_queue import OwnQueue
from loadmaster.live.queue.record import lines_of
from loadmaster.model import InputError, LoadmasterError
from loadmaster.runs.interim_waits import InterimWaits
from loadmaster.runs.setting import Setting, discipline_of, policy_of
from loadmaster.scheduling import Scheduler


def interim_waits_in(folder: Path, *, trust: bool = False) -> InterimWaits:
    """As the record in `folder` stands; it may go on meanwhile.

    Args:
        folder: of a shadow's record.
        trust: run the Python of a policy file that the record carries.

    Raises:
        InputError: no such record, of no shadow, or it carries Python and is not trusted.
    """
    lines = lines_of(folder)
    about = [line for line in lines if "begin" in line][-1]
    return interim_waits_of(lines, scheduler_in(about, folder, trust))


class TimeLimitReached(LoadmasterError):
    """The time for the computation is over."""


def interim_waits_within(lines: Sequence[Mapping[str, Any]], scheduler: Scheduler, seconds: float) -> InterimWaits:
    """The same as `interim_waits_of`, if that takes no longer.

    Raises:
        TimeLimitReached: it does.
        InputError: no shadow has observed anything yet.
    """
    until_s = time.monotonic() + seconds

    def watch() -> None:
        if time.monotonic() > until_s:
            raise TimeLimitReached(f"it would have taken more than {seconds:g} s")

    return interim_waits_of(lines, scheduler, watch)


def interim_waits_of(
    lines: Sequence[Mapping[str, Any]], scheduler: Scheduler, watch: Callable[[], None] = lambda: None
) -> InterimWaits:
    """What the lines of a record come to under `scheduler`.

    Args:
        lines: of the record.
        scheduler: decides.
        watch: called again and again; it raises to stop the computation.

    Raises:
        InputError: no shadow has observed anything yet.
    """
    about = [line for line in lines if "begin" in line][-1]
    if about["conduct"]["mode"] == "live":
        rule = "this run acts: its site has no waits of its own to compare with"
        raise InputError("this record", rule, fix="compare that of a --shadow")
    history = observed_history_in(lines, scheduler.discipline.order)
    ours = OwnQueue(history, scheduler, about["conduct"]["interval_s"], about["seed"], watch)
    counted = history.counted
    going = {name for name in history.rows if name not in history.ran and name not in history.withdrawn}
    return InterimWaits(
        history.now_s,
        len(counted),
        len((going | ours.open) & set(counted)),
        _mean(history, history.began_s),
        _mean(history, ours.began_s),
        _modelled(lines, about, watch),
    )


def _modelled(lines: Sequence[Mapping[str, Any]], about: Mapping[str, Any], watch: Callable[[], None]) -> float | None:
    """The mean wait in a queue under the site's own rule; None where the record does not say what that is."""
    if not about.get("site"):
        return None
    setting = Setting.of(about["site"])
    rule = Scheduler(policy_of(setting, {}), discipline_of(setting, {}))
    history = observed_history_in(lines, rule.discipline.order)
    return _mean(history, OwnQueue(history, rule, setting.interval_s, about["seed"], watch).began_s)


def _mean(history: ObservedHistory, began_s: Mapping[str, float]) -> float:
    waits = [began_s.get(name, history.now_s) - history.rows[name]["submit_s"] for name in history.counted]
    return sum(max(0.0, wait) for wait in waits) / len(waits) if waits else 0.0
