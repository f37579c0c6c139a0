"""Runs side by side: which has the lowest mean wait under each load and discipline, and what must not be trusted."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from loadmaster.measure.group_waits import Groups
from loadmaster.measure.recorded_hosts import OnHosts
from loadmaster.measure.recorded_metrics import Recorded
from loadmaster.model.units import percent as percent
from loadmaster.runs import Case, Outcome, Setting
from loadmaster.runs.judgement import Judged, Judgement, baseline_among
from loadmaster.runs.machines import MachineSet
from loadmaster.runs.setting import SITE

if TYPE_CHECKING:  # the search compiles kernels
    from loadmaster.search.possible import Possible

MOST_NAMED = 4
"""Runs that a warning names."""
CLOSE = 0.01
"""Policies whose mean waits differ by less than this are called equally good."""


@dataclass(frozen=True, eq=False)
class Group:
    """The runs under one load and one discipline, on one set of machines.

    Attributes:
        load: offered, of the first set of machines.
        discipline: an order and a backfilling.
        outcomes: a run a policy.
        baseline: the run that all of this load are compared with; None if there is only one.
        judged: the best may be called best; false if too many jobs are left out.
        judgement: the verdict of the samples at this load.
        hosts: the name of their machines, where there are several sets.
    """

    load: float
    discipline: str
    outcomes: Sequence[Outcome]
    baseline: Outcome | None
    judged: bool = True
    judgement: Judgement | None = None
    hosts: str = ""

    def sampled(self, outcome: Outcome) -> Judged | None:
        """The judgement of the samples on one of the runs; None without samples."""
        rows = () if self.judgement is None else self.judgement.rows
        return next((row for row in rows if row.setting == outcome.setting), None)

    @property
    def eligible(self) -> list[Outcome]:
        """The runs that left the fewest jobs unstarted; a mean that leaves out more says nothing beside theirs."""
        fewest = min(outcome.metrics.unstarted for outcome in self.outcomes)
        return [outcome for outcome in self.outcomes if outcome.metrics.unstarted == fewest]

    @property
    def best(self) -> Outcome:
        """The eligible run with the least mean wait, the first among equals."""
        return min(self.eligible, key=lambda outcome: outcome.metrics.mean_wait_s)


@dataclass(frozen=True, eq=False)
class Comparison:
    """The content of a comparison.

    Attributes:
        case: jobs and hosts, of the first set of machines.
        outcomes: in the order load, discipline, policy.
        baseline: name of the policy that the others are measured against.
        remarks: what was left out or assumed, and whether data is synthetic.
        command: the command that makes it again.
        recorded: the log's own record; None if there is none, or no run has the log's own arrivals.
        on_hosts: the same host by host; None where the log does not name the hosts, or others than these.
        site_policy: the placement policy of the row of a site's own rule; empty where there is none.
        possible: bound and best found at each load; empty if they were not computed.
        notes: what was assumed, and which options do nothing under some of the runs; they are among the remarks.
        judgements: the verdicts of the samples, one for each load; empty if none were drawn.
        machines: the sets of machines; where there are several, runs say by `setting.hosts` on which they are.
        currency: of their prices; empty where it was not said.
        metrics: the columns of its table beside the mean wait, by name; empty for the usual ones.
        by: the properties by which jobs are grouped.
        recorded_groups: the record of each group of jobs; () if it is not known.
        whole: the comparison that this is a part of, where runs are left out that coincide with others; rules are
            named, and have their baseline, as there.
    """

    case: Case
    outcomes: Sequence[Outcome]
    baseline: str
    remarks: Sequence[str] = ()
    command: str = ""
    notes: Sequence[str] = ()
    recorded: Recorded | None = None
    site_policy: str = ""
    judgements: tuple[Judgement, ...] = ()
    possible: "Sequence[Possible]" = ()
    machines: Sequence[MachineSet] = ()
    currency: str = ""
    on_hosts: OnHosts | None = None
    metrics: tuple[str, ...] = ()
    by: tuple[str, ...] = ()
    recorded_groups: tuple[Groups, ...] = ()
    whole: "Comparison | None" = None

    @property
    def settings(self) -> list[Setting]:
        """The settings of all runs, also of those that are left out."""
        return [outcome.setting for outcome in (self.whole or self).outcomes]

    @property
    def policies(self) -> tuple[str, ...]:
        """The policies compared, in the order given."""
        return tuple(dict.fromkeys(setting.policy for setting in self.settings))

    @property
    def disciplines(self) -> tuple[str, ...]:
        """The disciplines compared, in the order given."""
        return tuple(dict.fromkeys(setting.discipline for setting in self.settings))

    def rule_name(self, setting: Setting) -> str:
        """A rule as it is called in sentences and charts; where machines differ, with those that it ran on.

        Of a site and its changes: the change, or what the site is called as it is; a candidate by its rule alone.
        """
        if self.of_changes and (setting.discipline == SITE or self._changes(setting.hosts)):
            return setting.hosts
        if len(self.disciplines) < 2:
            name = setting.policy
        elif len(self.policies) < 2:
            name = setting.discipline
        else:
            name = f"{setting.policy} under {setting.discipline}"
        return f"{name} on {setting.hosts}" if setting.hosts and not self.of_changes else name

    @property
    def several_machines(self) -> bool:
        """Whether runs differ by their machines."""
        return len(self.machines) > 1

    @property
    def of_changes(self) -> bool:
        """Whether the sets of machines are a site and changes of it (rule L13)."""
        return any(one.changed for one in self.machines)

    def _changes(self, hosts: str) -> bool:
        return any(one.changed for one in self.machines if one.name == hosts)

    @property
    def hosts_heading(self) -> str:
        """The heading of the column with the sets of machines."""
        return "site" if self.of_changes else "hosts"

    @property
    def compares(self) -> bool:
        """Whether any load has several runs, so that there are changes to show."""
        return any(group.baseline is not None for group in self.groups)

    @property
    def hosts(self) -> tuple[str, ...]:
        """The names of the sets of machines, in the order given; one that is empty where there is one set."""
        return tuple(dict.fromkeys(setting.hosts for setting in self.settings))

    def machines_of(self, outcome: Outcome) -> MachineSet:
        """The machines of a run."""
        matching = (one for one in self.machines if one.name == outcome.setting.hosts)
        return next(matching, MachineSet("", self.case))

    @property
    def groups(self) -> list[Group]:
        """The runs by load, then by discipline, then by machines; loads ascending."""
        ordered = sorted(self.outcomes, key=self._place)
        groups = []
        for (load, discipline, hosts), same in groupby(
            ordered, key=lambda o: (o.load, o.setting.discipline, o.setting.hosts)
        ):
            groups.append(self._group(load, discipline, list(same), hosts))
        return groups

    def at(self, load: float) -> Group:
        """All runs of a load as one group, under whatever discipline, on whatever machines."""
        return self._group(load, "", [outcome for outcome in self.outcomes if outcome.load == load], "")

    def baseline_at(self, load: float) -> Outcome | None:
        """The one run that all others of a load are compared with, wherever they are shown; None where there is none.

        It is the baseline policy under the first discipline, on the first machines.
        """
        same = [outcome for outcome in (self.whole or self).outcomes if outcome.load == load]
        return same[baseline_among(same, self.baseline)] if len(same) > 1 else None

    def baseline_beside(self, group: Group) -> Outcome | None:
        """The run that is drawn beside those of one discipline on one set of machines: the baseline policy's there.

        Where it did not run there, that which all are compared with.
        """
        own = (outcome for outcome in group.outcomes if outcome.setting.policy == self.baseline)
        return next(own, group.baseline) if len(group.outcomes) > 1 else group.baseline

    def _group(self, load: float, discipline: str, runs: Sequence[Outcome], hosts: str) -> Group:
        samples = next((each for each in self.judgements if each.load == load), None)
        judged = not self.case.without_verdict
        return Group(load, discipline, runs, self.baseline_at(load), judged, samples, hosts)

    def heads(self, group: Group) -> bool:
        """Whether a table of several loads or disciplines names them above these runs."""
        kinds = [(each.load, each.discipline) for each in self.groups]
        several = len({(each.load, each.setting.discipline) for each in (self.whole or self).outcomes}) > 1
        first = self.groups[kinds.index((group.load, group.discipline))]
        return several and group.hosts == first.hosts

    def _place(self, outcome: Outcome) -> tuple[float, int, int]:
        setting = outcome.setting
        return outcome.load, self.disciplines.index(setting.discipline), self.hosts.index(setting.hosts)

    @property
    def judgement(self) -> Judgement | None:
        """The verdict of the samples at the highest load, which the headline is about."""
        return max(self.judgements, key=lambda each: each.load, default=None)


def faults(comparison: Comparison) -> list[str]:
    """Runs that must not be trusted, and why; one sentence for all runs of which it holds."""
    named: dict[str, list[str]] = {}
    for outcome in comparison.outcomes:
        setting = outcome.setting
        for warning in warnings(outcome):
            named.setdefault(warning, []).append(f"{setting.policy}, {setting.discipline}, {load_words(outcome.load)}")
    return [f"{_runs(names, len(comparison.outcomes))}: {warning}" for warning, names in named.items()]


def _runs(names: Sequence[str], many: int) -> str:
    """Runs by their names, the first of many; all of them in a word."""
    if len(names) == many > 1:
        return "all runs"
    more = f"; {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return "; ".join(names[:MOST_NAMED]) + more


def warnings(outcome: Outcome) -> list[str]:
    """Why a run must not be trusted, one sentence each; mostly none."""
    error, unstarted = outcome.metrics.little_error, outcome.metrics.unstarted
    texts = []
    if error > CLOSE:
        texts.append(f"Little's law does not hold ({percent(error, 2)} apart)")
    if unstarted:
        jobs = "job" if unstarted == 1 else "jobs"
        texts.append(f"{unstarted:,} {jobs} never started{_because(outcome)}; means leave them out")
    if outcome.beside.steady.overloaded:
        texts.append("the queue only grows, so the longer the log, the longer its mean wait")
    return [*texts, *outcome.faults]


def _because(outcome: Outcome) -> str:
    """Why jobs never started, in parentheses; empty where they only wait."""
    reasons = [f"{count:,}: {reason}" for reason, count in outcome.losses.never_run.items()]
    refused = outcome.losses.refused
    reasons += [f"{refused:,}: refused, too many of its user, account or QOS"] if refused else []
    return f" ({'; '.join(reasons)})" if reasons else ""


def load_words(load: float, digits: int = 2) -> str:
    """An offered load in words.

    Example:
        >>> load_words(0.85), load_words(float("inf"))
        ('load 0.85', 'all jobs at once')
    """
    return f"load {load:.{digits}f}" if math.isfinite(load) else "all jobs at once"


def listed(names: Sequence[str]) -> str:
    """Names as a sentence has them.

    Example:
        >>> listed(["a"]), listed(["a", "b", "c"])
        ('a', 'a, b and c')
    """
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))
