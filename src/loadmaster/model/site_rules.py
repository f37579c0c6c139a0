"""What a cluster lays down beside its hosts: partitions, qualities of service, accounts, a calendar, preemption.

All plain values (tuples, text, numbers), so that a record can hold them as they are.
"""

import math
from dataclasses import dataclass, field
from typing import Literal, get_args

from loadmaster.model.energy import HostPower, Steps
from loadmaster.model.errors import InputError
from loadmaster.model.limits import Amounts, Limits

HostSet = tuple[int, ...] | None
"""Numbers of hosts; None for all."""
Mode = Literal["off", "cancel", "requeue", "suspend"]
State = Literal["up", "down", "drain", "inactive"]


@dataclass(frozen=True)
class Partition:
    """A set of hosts with a queue of its own; None where nothing is limited.

    Attributes:
        hosts: may overlap those of others.
        tier: jobs of a higher one go first.
        job_factor: what it adds to a priority.
        min_hosts, max_hosts: on how many different hosts its jobs lie at least and at most.
        allow_accounts, allow_qos: None admits all, then `deny_*` counts.
        qos: whose limits bind all of its jobs.
        preempt_mode: what becomes of its jobs; None is the cluster's.
        exclusive: hosts are shared by all jobs, by one user's jobs (`user`), by no other job (`host`).
        state: `up`; `down` queues and starts none; `drain` takes none and starts those that wait; `inactive` neither.
        billing: charge for each unit of a resource; empty charges cores.
    """

    name: str
    hosts: HostSet = None
    tier: int = 1
    job_factor: int = 1
    max_time_s: float | None = None
    min_hosts: int | None = None
    max_hosts: int | None = None
    allow_accounts: tuple[str, ...] | None = None
    deny_accounts: tuple[str, ...] = ()
    allow_qos: tuple[str, ...] | None = None
    deny_qos: tuple[str, ...] = ()
    qos: str = ""
    preempt_mode: Mode | None = None
    grace_s: float = 0.0
    exclusive: Literal["none", "user", "host"] = "none"
    state: State = "up"
    billing: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True)
class Qos:
    """A quality of service.

    Attributes:
        priority: what it adds to a priority, and how dear its jobs are to a preemptor.
        preempts: names of those whose jobs it may stop.
        within: its jobs may stop those of the same one that have a lower priority.
        preempt_mode: what becomes of its jobs then; None is the cluster's.
        grace_s: how long a cancelled job goes on; exempt_s: how long a job runs before it may be stopped.
        usage_factor: of what is charged.
        no_reserve: its jobs are promised nothing.
        over_partition: its limits come before those of the partition's own.
    """

    name: str
    priority: int = 0
    preempts: tuple[str, ...] = ()
    within: bool = False
    preempt_mode: Mode | None = None
    grace_s: float = 0.0
    exempt_s: float | None = None
    usage_factor: float = 1.0
    no_reserve: bool = False
    over_partition: bool = False
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True)
class Account:
    """A node of the tree of accounts; a leaf is a user in an account.

    Attributes:
        account: its name; of a leaf, that of the account it is in.
        user: "" for an account.
        parent: the account above, "" for one at the top (and for a leaf, whose account it is).
        shares: None has those of its parent.
        priority: what it adds to a priority.
    """

    account: str
    user: str = ""
    parent: str = ""
    shares: int | None = 1
    limits: Limits = field(default_factory=Limits)
    priority: int = 0


@dataclass(frozen=True)
class CalendarRow:
    """Hosts that are closed, or reserved for some jobs, for some time.

    Attributes:
        from_s, to_s: half open, seconds from the start of the log; None is for ever.
        kind: `down` stops what runs there; `drained` lets it end; `reserved` is for jobs that name it and may use it.
        name: of a reservation.
        users, accounts: that may use a reservation; with neither, every job that names it.
        flex: jobs of the reservation may begin before it and end after it.
    """

    from_s: float
    to_s: float | None
    kind: Literal["down", "drained", "reserved"]
    hosts: HostSet = None
    name: str = ""
    users: tuple[str, ...] = ()
    accounts: tuple[str, ...] = ()
    flex: bool = False

    def __post_init__(self) -> None:
        if not (math.isfinite(self.from_s) and (self.to_s is None or self.to_s > self.from_s)):
            raise InputError(f"{self.from_s} - {self.to_s}", "a row of the calendar must end after it begins")
        if self.kind == "reserved" and not self.name:
            raise InputError(self.kind, "a reservation needs a name", fix="give it one")

    @property
    def until_s(self) -> float:
        """When it ends, infinite if never."""
        return math.inf if self.to_s is None else self.to_s


@dataclass(frozen=True)
class Preemption:
    """Which jobs may stop which.

    Attributes:
        by: `qos`: whose QOS lists that of the other; `partition`: whose partition has the higher tier; or `none`.
        mode: what happens to a stopped job, where neither QOS nor partition says otherwise.
        exempt_s: how long a job runs before it may be stopped.
        youngest_first: those that started last are stopped first, whatever their priority.
        reorder_count: how often a choice of victims is gone over again to stop fewer.
    """

    by: Literal["none", "qos", "partition"] = "none"
    mode: Mode = "off"
    exempt_s: float = 0.0
    youngest_first: bool = False
    reorder_count: int = 1


@dataclass(frozen=True)
class SiteRules:
    """All rules of a site; fields without a rule are empty.

    Attributes:
        partitions: in the order of the configuration; () is one of all hosts.
        default_partition: of jobs that name none; "" is the first.
        qos: in the order of the configuration.
        default_qos: of jobs that name none.
        accounts: parents before children.
        features: names that each host has, a tuple a host; () where no host has any.
        calendar: in any order.
        licences: name and amount of what the whole cluster has and no host: licences, and burst buffers in bytes.
        power: what hosts draw; () where that is not known, else of every host.
        energy_price: money for a kWh over time.
        carbon: grams of CO2 for a kWh over time.
        power_cap: watts that all hosts may draw together over time.
        requeue: whether jobs that do not say may go back to the queue.
        limits_safe: under a limit of work done a job starts only if its whole limit of time fits in, beside those of
            what runs; else as long as the limit is not used up.
        use_half_life_s: how fast work done fades for these limits; 0: never.
        limits_stop: a job beyond a limit keeps all later ones of its partition back in that pass.
    """

    partitions: tuple[Partition, ...] = ()
    default_partition: str = ""
    qos: tuple[Qos, ...] = ()
    default_qos: str = "normal"
    accounts: tuple[Account, ...] = ()
    features: tuple[tuple[str, ...], ...] = ()
    calendar: tuple[CalendarRow, ...] = ()
    licences: Amounts = ()
    power: tuple[HostPower, ...] = ()
    energy_price: Steps = ()
    carbon: Steps = ()
    power_cap: Steps = ()
    preemption: Preemption = field(default_factory=Preemption)
    requeue: bool = True
    limits_safe: bool = True
    use_half_life_s: float = 0.0
    limits_stop: bool = False

    def __post_init__(self) -> None:
        _once([partition.name for partition in self.partitions], "partition")
        _once([qos.name for qos in self.qos], "QOS")
        _once([(node.account, node.user) for node in self.accounts], "account")
        _once([name for name, _ in self.licences], "licence")
        for name, amount in self.licences:
            if not (0 <= amount < math.inf):
                raise InputError(amount, f"licences of {name} must be zero or more")
        _one_of([partition.state for partition in self.partitions], get_args(State), "state of a partition")
        known = {node.account for node in self.accounts if not node.user} | {""}
        for node in self.accounts:
            if node.parent not in known or (node.user and node.account not in known):
                rule = "no such account above it"
                raise InputError(f"{node.account} {node.user}".strip(), rule, fix="name accounts before their children")
        names = {partition.name for partition in self.partitions} | {""}
        if self.default_partition not in names:
            raise InputError(self.default_partition, "no such partition", fix=f"one of {', '.join(sorted(names))}")
        if self._suspends and any(row.kind == "down" for row in self.calendar):
            rule = "suspended jobs go on on their own hosts, so none of those may go down in the calendar (rule C8)"
            raise InputError("suspend", rule, fix="preempt by requeue or cancel, or make the hosts drained")

    @property
    def _suspends(self) -> bool:
        """Whether a job may be suspended."""
        by = self.preemption.by
        modes = [each.preempt_mode for each in self.qos] if by == "qos" else []
        modes += [each.preempt_mode for each in self.partitions] if by == "partition" else []
        return any((mode or self.preemption.mode) == "suspend" for mode in modes)

    def check_hosts(self, hosts: int) -> None:
        """Check that all hosts named are there, and that what says something of every host does so.

        Raises:
            InputError: it does not.
        """
        if self.features and len(self.features) != hosts:
            raise InputError(len(self.features), f"features of {hosts} hosts must be as many")
        drawing = sorted(host for power in self.power for host in power.hosts)
        if drawing and drawing != list(range(hosts)):
            raise InputError(len(drawing), f"the power of {hosts} hosts must be known of each of them, once")
        named = [*((row.name, row.hosts) for row in self.partitions), *((row.name, row.hosts) for row in self.calendar)]
        for name, numbers in named:
            wrong = [host for host in numbers or () if not 0 <= host < hosts]
            if wrong:
                raise InputError(wrong[0], f"no such host; there are {hosts}", where=name)


def _once(names, what) -> None:  # type: ignore[no-untyped-def]
    seen = set()
    for name in names:
        if name in seen:
            raise InputError(name, f"this {what} is there twice", fix="leave one out")
        seen.add(name)


def _one_of(values, words, what) -> None:  # type: ignore[no-untyped-def]
    for value in values:
        if value not in words:
            raise InputError(value, f"no {what}", fix=f"one of {', '.join(words)}")
