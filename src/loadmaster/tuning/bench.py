"""Rules on many logs drawn from one: shaken and resampled in turn, the same for every rule (rule U3)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from loadmaster.measure.resample import without_interval
from loadmaster.results.store import Store
from loadmaster.results.study import CellMaker
from loadmaster.results.watch import Watch
from loadmaster.rules.find import Sources
from loadmaster.runs.case import Case
from loadmaster.runs.samples import Drawing, Resampling, RunOnSample, SampleRun, run_tasks
from loadmaster.runs.setting import Setting


@dataclass(frozen=True)
class PortableRule:
    """A rule that can be run anywhere: its setting, and the text of every file that it needs."""

    setting: Setting
    sources: Sources


@dataclass(frozen=True, eq=False)
class TrialBench:
    """Where rules are tried.

    Attributes:
        case: the jobs that logs are drawn from, and the hosts.
        seed: of the draws.
        store: where runs are kept; None keeps none.
        pool: runs the cells.
        watch: gets the progress.
    """

    case: Case
    seed: int
    store: Store | None
    pool: CellMaker
    watch: Watch | None = None

    @cached_property
    def ways(self) -> tuple[Resampling, ...]:
        """How logs are drawn, in turn: shaken, and by user, or by week where users are too few or not known."""
        log = self.case.workload
        return ("shake", next((way for way in _WAYS if not without_interval(log, way)), "shake"))

    def ahead(self, runs: int) -> None:
        """Report that about so many runs come after those that are requested next."""
        if self.watch is not None:
            self.watch.ahead(runs)

    def in_turn(self, rules: Sequence[PortableRule], numbers: Sequence[int]) -> list[list[SampleRun]]:
        """The runs of every rule on the logs `numbers`, a list a rule; even numbers are shaken, odd ones resampled."""
        drawn = [(Drawing(self.ways[k % 2], self.seed), k) for k in numbers]
        return self._run(rules, drawn)

    def drawn(self, rules: Sequence[PortableRule], how: Resampling, count: int) -> list[list[SampleRun]]:
        """The runs of every rule on `count` logs that are all drawn in one way."""
        return self._run(rules, [(Drawing(how, self.seed), k) for k in range(count)])

    def _run(self, rules: Sequence[PortableRule], drawn: Sequence[tuple[Drawing, int]]) -> list[list[SampleRun]]:
        tasks = [RunOnSample(rule.setting, rule.sources, *one) for one in drawn for rule in rules]
        runs = run_tasks(self.case, tasks, self.store, self.pool, self.watch)
        return [runs[k :: len(rules)] for k in range(len(rules))]


_WAYS: tuple[Resampling, ...] = ("users", "weeks")
