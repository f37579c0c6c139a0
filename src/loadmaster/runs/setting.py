"""The setting of a run, as text that can be stored: read back, it gives the same run."""

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, get_args

from loadmaster.model import InputError
from loadmaster.place import Policy
from loadmaster.place.load import policy_named
from loadmaster.rules.find import NO_SOURCES, Reference, Sources, sources
from loadmaster.scheduling import AnyPolicy, Discipline
from loadmaster.scheduling.estimate_model import USERS, EstimateModel, estimate_model_named
from loadmaster.scheduling.max_jobs import Target
from loadmaster.scheduling.meta_rules import META_RULES, meta_rule_named, name_of
from loadmaster.scheduling.notation import discipline_named, files_of, parameters_of
from loadmaster.sim.queue.look_ahead import looking_ahead

MAX_JOBS = "max-jobs"
SITE = "site"
"""The discipline of a real site, and the kind of the rows under it."""


@dataclass(frozen=True)
class Setting:
    """Everything that shapes a run beyond the jobs and the hosts.

    Attributes:
        policy: name of a placement policy or `file.py:function`; of a meta-rule or `file.py:Class`, with parameters.
        discipline: an order and a backfilling, as `schedule.notation` says.
        beta: factor on the times between arrivals (Shai 2014, section 6); below 1 the load grows.
        interval_s: seconds between scheduling cycles; 0 decides at every event.
        seed: for policies that draw.
        reservations: at most so many reservations a cycle; None for no limit.
        lookahead: at most so many waiting jobs are tried a cycle; None for all.
        shares: share of each project by its number. All three are for disciplines that have them and do not say
            otherwise themselves.
        members: the policies that max-jobs chooses from; empty for its own five.
        target: what max-jobs maximises.
        site: the order and the backfilling that the discipline `site` means; else empty.
        estimates: what is expected of jobs: `user`, `exact`, `last-two` or a factor, with parameters in parentheses.
        overrun: jobs that outlive their limit `run` on, or it is there to `kill`.
        hosts: the name of the machines, where there are several sets of them. It changes nothing: they do.
        metrics: the user's own, each `file.py:function`, beside the built-in ones.
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
    site: str = ""
    estimates: str = "user"
    overrun: str = "run"
    hosts: str = ""
    metrics: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.discipline == SITE and not self.site:
            fix = "give its configuration: --site slurm.conf"
            raise InputError(SITE, "this discipline is the queue of a real site", fix=fix)

    @property
    def queue(self) -> str:
        """The discipline written out: `site` is replaced by its meaning."""
        return self.site if self.discipline == SITE else self.discipline

    @property
    def kind(self) -> str:
        """The kind of its row: `site` if it models a site's own queue, else `candidate`."""
        return SITE if self.discipline == SITE else "candidate"

    @property
    def specs(self) -> tuple[str, ...]:
        """All that is named and may stand in a file, without parameters: policies, discipline, metrics."""
        return (*self.policies, *files_of(self.queue), *self.metrics)

    @property
    def in_process(self) -> list[str]:
        """Those of its rules that are called as they are, in this process: their results are not stored."""
        named = [reference for spec in self.specs if (reference := Reference.of(spec)) is not None]
        return [reference.path for reference in named if reference.is_in_process]

    @property
    def policies(self) -> tuple[str, ...]:
        """The policy without its parameters, and the members of max-jobs."""
        return (name_of(self.policy), *self.members)

    @property
    def has_members(self) -> bool:
        """Whether it is max-jobs, for which `members` and `target` are."""
        return name_of(self.policy) == MAX_JOBS

    @property
    def estimate_model(self) -> EstimateModel:
        """The expected runtimes of the discipline, and whether limits kill.

        Raises:
            InputError: no such estimates.
        """
        return estimate_model_named(self.estimates, self.overrun)

    def plain(self) -> dict[str, Any]:
        """The setting as values for JSON."""
        return dataclasses.asdict(self)

    @classmethod
    def of(cls, plain: Mapping[str, Any]) -> "Setting":
        """The setting that `plain` described."""
        lists = {name: tuple(plain[name]) for name in ("shares", "members", "metrics") if name in plain}
        return cls(**{**plain, **lists})

    def beyond_usual(self) -> dict[str, str]:
        """How estimates are made and what becomes of overruns, as far as that was chosen."""
        chosen = {"estimates": self.estimates, "overrun": self.overrun}
        return {name: value for name, value in chosen.items() if value != getattr(Setting, name)}

    def essential(self, sources: Sources = NO_SOURCES) -> dict[str, Any]:
        """Only what can change the result: parameters that this policy or discipline does not have are left out.

        Args:
            sources: text of the user's files, where it is known already.
        """
        taken = {"policy", "discipline", "beta", "interval_s", "seed", *_parameters(self.queue, sources)}
        if self.discipline == SITE:
            taken.add("site")
        if self.has_members:
            taken |= {"members", "target"}
        if self.metrics:
            taken.add("metrics")
        if self.estimate_model != USERS:
            taken |= {"estimates", "overrun"}
        return {name: value for name, value in self.plain().items() if name in taken}


def policy_of(setting: Setting, sources: Sources) -> AnyPolicy:
    """The policy that `setting` names.

    Raises:
        InputError: no such policy, member or target.
    """
    if setting.target not in get_args(Target):
        raise InputError(setting.target, "no such target of max-jobs", fix=f"one of {', '.join(get_args(Target))}")
    usual: dict[str, Any] = {}
    if setting.has_members:
        usual["target"] = setting.target
        if setting.members:
            usual["members"] = tuple(named(member, sources) for member in setting.members)
    return meta_rule_named(setting.policy, sources, **usual) or named(setting.policy, sources)


class _NamesOfOtherKinds(Mapping[str, str]):
    """What `kinds.elsewhere` says, asked only where a name is refused: it loads every registry there is."""

    def __init__(self, wanted: str) -> None:
        self._wanted = wanted

    @property
    def _found(self) -> Mapping[str, str]:
        from loadmaster.runs.kinds import elsewhere

        return elsewhere(self._wanted)

    def __getitem__(self, name: str) -> str:
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)


def discipline_of(setting: Setting, sources: Sources = NO_SOURCES) -> Discipline:
    """The discipline that `setting` names, with those parameters that it has.

    Raises:
        InputError: no such order, backfilling or parameter.
    """
    usual = {name: getattr(setting, name) for name in _PARAMETERS}
    discipline = discipline_named(setting.queue, sources, _NamesOfOtherKinds("discipline"), **usual)
    discipline = looking_ahead(discipline)
    return replace(discipline, name=setting.discipline) if setting.discipline == SITE else discipline


def sources_of(setting: Setting) -> dict[str, str]:
    """The text of each file that `setting` takes a policy from.

    Raises:
        InputError: a file is not there or not text.
    """
    return sources(*setting.specs)


def named(spec: str, sources: Sources) -> Policy:
    """The placement policy `spec`; one from a file is taken from its text in `sources`, if it is there."""
    if name_of(spec) in META_RULES:
        raise InputError(spec, "a meta-rule cannot be a member of another", fix="name placement policies")
    return policy_named(spec, sources, _NamesOfOtherKinds("placement policy"))


_PARAMETERS = {"reservations", "lookahead", "shares"}
"""Parameters of disciplines that have an option of their own."""


def _parameters(discipline: str, sources: Sources) -> set[str]:
    return _PARAMETERS & parameters_of(discipline, _NamesOfOtherKinds("discipline"), sources)
