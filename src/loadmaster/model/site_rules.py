"""The rules of a site beside its hosts: partitions, qualities of service, accounts, a calendar, preemption.

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
    """A set of hosts with a queue of its own; a limit that is None does not bind.

    Attributes:
        hosts: may overlap with other partitions.
        tier: jobs of a partition with a higher tier go first.
        job_factor: its part in the priority of its jobs.
        min_hosts, max_hosts: the least and the greatest number of different hosts of a job.
        allow_accounts, allow_qos: None admits all, then `deny_*` counts.
        qos: a QOS whose limits bind all of its jobs.
        preempt_mode: what happens to its jobs if they are stopped; None is the cluster's mode.
        exclusive: hosts are shared by all jobs, by one user's jobs (`user`), by no other job (`host`).
        state: `up`; `down` queues jobs and starts none; `drain` starts waiting jobs and takes no new ones; `inactive`
            does neither.
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
        priority: its part in the priority of its jobs; preemption stops jobs of the lowest first.
        preempts: names of the QOS whose jobs its jobs may stop.
        within: its jobs may stop jobs of the same QOS that have a lower priority.
        preempt_mode: what happens to its jobs if they are stopped; None is the cluster's mode.
        grace_s: how long a cancelled job goes on; exempt_s: how long a job runs before it may be stopped.
        usage_factor: the factor on the charged use.
        no_reserve: its jobs get no reservation.
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
        account: its name; for a leaf, the name of its account.
        user: "" for an account.
        parent: the account above; "" for an account at the top, and for a leaf.
        shares: None stands for the shares of its parent.
        priority: its part in the priority of its jobs.
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
        kind: `down` stops running jobs; `drained` lets them end; `reserved` admits jobs that name it and may use it.
        name: the name of a reservation.
        users, accounts: those that may use a reservation; without either, every job that names it may.
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
class HostStartUp:
    """Hosts that sleep while they are idle, and start when a job takes them (rule C17).

    Attributes:
        hosts: their numbers; they sleep as a run begins, unless a job runs there.
        lasts_s: seconds until a host that sleeps can run a job, zero or more.
        idle_s: a host sleeps when it has been idle for longer; None: it only sleeps before its first job.
    """

    hosts: tuple[int, ...]
    lasts_s: float
    idle_s: float | None = None

    def __post_init__(self) -> None:
        for seconds, what in ((self.lasts_s, "the start of a host lasts"), (self.idle_s or 0.0, "a host is idle for")):
            if not 0.0 <= seconds < math.inf:
                raise InputError(seconds, f"{what} zero or more seconds")


@dataclass(frozen=True)
class Preemption:
    """Which jobs may stop which other jobs.

    Attributes:
        by: `qos`: a job may stop jobs whose QOS its own QOS lists. `partition`: it may stop jobs in partitions of a
            lower tier. `none`: no job is stopped.
        mode: what happens to a stopped job, unless its QOS or partition says otherwise.
        exempt_s: how long a job runs before it may be stopped.
        youngest_first: the jobs that started last are stopped first, whatever their priority.
        reorder_count: how often the choice of victims is repeated, to stop fewer.
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
        partitions: in the order of the configuration; () means one partition of all hosts.
        default_partition: the partition of jobs that name none; "" means the first.
        qos: in the order of the configuration.
        default_qos: the QOS of jobs that name none.
        accounts: the tree of accounts, parents before children.
        features: the features of each host, one tuple for each; () if no host has any.
        calendar: in any order.
        licences: names and amounts of the whole cluster that belong to no host: licences, and burst buffers in bytes.
        power: the power of every host; () if it is not known.
        energy_price: money for a kWh over time.
        carbon: grams of CO2 for a kWh over time.
        power_cap: watts that all hosts may draw together over time.
        start_up: hosts that sleep; each at most once.
        requeue: whether a job may go back to the queue if it does not say so itself.
        limits_safe: under a limit on work, a job starts only if the work of its whole time limit fits, beside that of
            the running jobs. If false, it starts as long as the limit is not used up.
        use_half_life_s: the half-life of done work for these limits; 0: it does not decay.
        limits_stop: if a job is beyond a limit, no later job of its partition is tried in that pass.
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
    start_up: tuple[HostStartUp, ...] = ()
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
        sleeping = [host for each in self.start_up for host in each.hosts]
        if len(sleeping) != len({*sleeping}):
            raise InputError(len(sleeping), "the start-up of a host is given twice", fix="give it once")
        named = [*((row.name, row.hosts) for row in self.partitions), *((row.name, row.hosts) for row in self.calendar)]
        named.append(("start_up", tuple(sleeping)))
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
