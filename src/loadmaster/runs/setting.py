"""What a run is to do, in words that can be written down: read back, they give the same run."""

import dataclasses
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, fields
from difflib import get_close_matches
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any, get_args

from loadmaster.model import InputError
from loadmaster.order import DISCIPLINES, Discipline
from loadmaster.place import Policy
from loadmaster.place.load import policy_named
from loadmaster.schedule import AnyPolicy, MaxJobs
from loadmaster.schedule.max_jobs import Target

MAX_JOBS = "max-jobs"


@dataclass(frozen=True)
class Setting:
    """Everything that shapes a run beyond the jobs and the hosts.

    Attributes:
        policy: name of a placement policy, `file.py:function`, or `max-jobs`.
        discipline: name of a discipline.
        beta: factor on the times between arrivals (Shai 2014, section 6); below 1 the load grows.
        interval_s: seconds between scheduling cycles; 0 decides at every event.
        seed: for policies that draw.
        reservations: at most so many reservations a cycle; None for no limit.
        lookahead: at most so many waiting jobs are tried a cycle; None for all.
        shares: share of each project by its number, for disciplines that know shares.
        members: the policies that max-jobs chooses from; empty for its own five.
        target: what max-jobs maximises.
    """

    policy: str
    discipline: str = "netbatch"
    beta: float = 1.0
    interval_s: float = 30.0
    seed: int = 0
    reservations: int | None = None
    lookahead: int | None = None
    shares: tuple[float, ...] = ()
    members: tuple[str, ...] = ()
    target: str = "jobs"

    def plain(self) -> dict[str, Any]:
        """The setting as JSON takes it."""
        return dataclasses.asdict(self)

    @classmethod
    def of(cls, plain: Mapping[str, Any]) -> "Setting":
        """The setting that `plain` described."""
        lists = {name: tuple(plain[name]) for name in ("shares", "members")}
        return cls(**{**plain, **lists})

    def essential(self) -> dict[str, Any]:
        """Only what can change the result: parameters that this policy or discipline does not have are left out."""
        taken = {"policy", "discipline", "beta", "interval_s", "seed", *_parameters(self.discipline)}
        if self.policy == MAX_JOBS:
            taken |= {"members", "target"}
        return {name: value for name, value in self.plain().items() if name in taken}


Sources = Mapping[str, str]
"""Text of every Python file that holds a policy of the user, by its path as given."""


def policy_of(setting: Setting, sources: Sources) -> AnyPolicy:
    """The policy that `setting` names.

    Raises:
        InputError: no such policy, member or target.
    """
    if setting.policy != MAX_JOBS:
        return named(setting.policy, sources)
    if setting.target not in get_args(Target):
        raise InputError(setting.target, "no such target of max-jobs", fix=f"one of {', '.join(get_args(Target))}")
    target: Target = setting.target  # type: ignore[assignment]
    if not setting.members:
        return MaxJobs(target=target)
    return MaxJobs(tuple(named(member, sources) for member in setting.members), target)


def member_names(policy: AnyPolicy) -> tuple[str, ...]:
    """The names of the members of a meta-policy, () for any other policy."""
    return tuple(member.name for member in policy.members) if isinstance(policy, MaxJobs) else ()


def discipline_of(setting: Setting) -> Discipline:
    """The discipline that `setting` names, with those parameters that it has.

    Raises:
        InputError: no such discipline.
    """
    parameters = {name: getattr(setting, name) for name in _parameters(setting.discipline)}
    discipline: Discipline = DISCIPLINES[setting.discipline][0](**parameters)
    return discipline


def sources_of(setting: Setting) -> dict[str, str]:
    """The text of each file that `setting` takes a policy from.

    Raises:
        InputError: a file is not text.
    """
    specs = (setting.policy, *setting.members)
    paths = {spec.rpartition(":")[0] for spec in specs if ":" in spec}
    try:
        return {path: Path(path).read_text(encoding="utf-8") for path in paths if Path(path).is_file()}
    except UnicodeDecodeError as error:
        raise InputError(", ".join(sorted(paths)), "not a Python file: it is not text in UTF-8") from error


def named(spec: str, sources: Sources) -> Policy:
    """The placement policy `spec`; one from a file is taken from its text in `sources`, if it is there."""
    if spec == MAX_JOBS:
        raise InputError(spec, "max-jobs cannot be a member of itself", fix="name placement policies")
    path, _, _ = spec.rpartition(":")
    return _loaded(spec, sources.get(path))


@lru_cache(maxsize=256)
def _loaded(spec: str, text: str | None) -> Policy:
    # Remembered, so that a policy is imported once and compiled once, however many runs use it.
    path, _, function = spec.rpartition(":")
    if text is None or (Path(path).is_file() and Path(path).read_text(encoding="utf-8") == text):
        return policy_named(spec)
    folder = Path(tempfile.gettempdir()) / f"loadmaster-policy-{sha256(text.encode()).hexdigest()[:16]}"
    folder.mkdir(exist_ok=True)
    copy = folder / Path(path).name
    copy.write_text(text, encoding="utf-8")
    return dataclasses.replace(policy_named(f"{copy}:{function}"), name=spec)


def _parameters(discipline: str) -> set[str]:
    if discipline not in DISCIPLINES:
        near = get_close_matches(discipline, DISCIPLINES, n=1)
        fix = f"did you mean {near[0]}?" if near else f"one of {', '.join(DISCIPLINES)}"
        raise InputError(discipline, "no such discipline", fix=fix)
    known = {"reservations", "lookahead", "shares"}
    return known & {field.name for field in fields(DISCIPLINES[discipline][0])}
