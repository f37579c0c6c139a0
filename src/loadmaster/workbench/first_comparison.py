"""A first comparison, guided: what may be chosen, and the command that is made of it. Nothing but lists of words that
are known beforehand, numbers and files that were uploaded becomes an argument.
"""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from loadmaster import place
from loadmaster.backfilling import BACKFILLINGS
from loadmaster.model.errors import InputError
from loadmaster.traces.hosts import parse_hosts
from loadmaster.workbench.refusal import Refused
from loadmaster.workbench.served_folders import ServedFolders
from loadmaster.workbench.uploads import plain_name, uploaded

POLICIES = {
    **{name: place.POLICIES[name].summary for name in (
        "first-fit", "best-fit-cores", "best-fit-memory", "worse-fit-cores", "worse-fit-memory", "mix-fit",
        "opportunity-cost",
    )},
    "max-jobs": "in each cycle the one of them that starts most jobs",
}  # fmt: skip
"""Rules that a first comparison may name, and what each takes."""
USUAL = ("first-fit", "best-fit-cores", "best-fit-memory", "mix-fit")
DISCIPLINES = {
    **{name: BACKFILLINGS[name][1] for name in ("netbatch", "easy", "conservative")},
    "fcfs": "strictly in order of arrival: the first job that does not fit blocks all behind it",
}
_LOADS = re.compile(r"\d{1,2}(\.\d{1,4})?(,\d{1,2}(\.\d{1,4})?){0,9}")


@dataclass(frozen=True)
class FirstChoices:
    """What was chosen.

    Attributes:
        log: name of an uploaded file.
        hosts: the short form, or the name of an uploaded file; empty for those that the log names.
        policies, disciplines: names.
        loads: offered loads parted by commas; empty for the log's own.
        limit: how many jobs are read; 0 for all.
    """

    log: str
    hosts: str
    policies: tuple[str, ...]
    disciplines: tuple[str, ...]
    loads: str = ""
    limit: int = 0

    def plain(self) -> dict[str, Any]:
        """As JSON takes it."""
        return asdict(self)


def choices_of(given: Mapping[str, Any], places: ServedFolders) -> FirstChoices:
    """What was chosen, each value held to its rule.

    Raises:
        Refused: one breaks it.
    """
    log, hosts = _text(given, "log"), _text(given, "hosts").strip()
    files = uploaded(places.logs)
    if log not in files:
        raise Refused(400, "choose one of the logs that were uploaded")
    if hosts and hosts not in files:
        _check_hosts(hosts)
    loads = _text(given, "loads").replace(" ", "")
    if loads and not _LOADS.fullmatch(loads):
        raise Refused(400, "loads are numbers separated by commas, such as 0.8,0.9")
    limit = given.get("limit") or 0
    if type(limit) is not int or not 0 <= limit < 1 << 40:
        raise Refused(400, "the number of jobs is a whole number")
    policies = _names(given, "policies", POLICIES)
    return FirstChoices(log, hosts, policies, _names(given, "disciplines", DISCIPLINES), loads, limit)


def arguments_of(choices: FirstChoices, places: ServedFolders, folder: Path) -> list[str]:
    """The arguments of the command that compares them into `folder`."""
    hosts = str(places.logs / choices.hosts) if choices.hosts in uploaded(places.logs) else choices.hosts
    arguments = ["compare", str(places.logs / choices.log), "-o", str(folder)]
    arguments += [f"--hosts={hosts}"] if hosts else []
    arguments += [f"--policies={','.join(choices.policies)}", f"--disciplines={','.join(choices.disciplines)}"]
    arguments += [f"--loads={choices.loads}"] if choices.loads else []
    return arguments + ([f"--limit={choices.limit}"] if choices.limit else [])


def new_folder(places: ServedFolders, log: str) -> Path:
    """A new folder in the work folder, named for the log."""
    stem = re.sub(r"[^A-Za-z0-9_-]+", "-", plain_name(log).partition(".")[0]).strip("-") or "log"
    for number in range(1, 10_000):
        folder = places.work / f"{stem}-{number}"
        try:
            folder.mkdir()
        except FileExistsError:
            continue
        return folder
    raise Refused(409, "there are too many comparisons of this log; move some away")


def _text(given: Mapping[str, Any], name: str) -> str:
    value = given.get(name, "")
    if not isinstance(value, str) or len(value) > 400:
        raise Refused(400, f"{name}: text of at most 400 characters is expected")
    return value


def _names(given: Mapping[str, Any], name: str, choices: Mapping[str, str]) -> tuple[str, ...]:
    value = given.get(name)
    names = tuple(dict.fromkeys(value)) if isinstance(value, list) and all(type(v) is str for v in value) else ()
    if not names or any(each not in choices for each in names):
        raise Refused(400, f"{name}: choose at least one of {', '.join(choices)}")
    return names


def _check_hosts(text: str) -> None:
    try:
        parse_hosts(text)
    except InputError as error:
        raise Refused(400, str(error)) from None
