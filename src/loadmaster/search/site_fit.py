"""The site's queue that reproduces recorded waits best: a staged search, chosen on even weeks (rules H10 and H11)."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from loadmaster.measure.goodness_of_fit import WeekByWeek, weekly
from loadmaster.results.store import Store
from loadmaster.results.study import CellMaker, run_study
from loadmaster.results.watch import Watch
from loadmaster.runs.case import Case
from loadmaster.search.site_trial import cell_of, trial_of, trials_on
from loadmaster.site.fitted_queue import SiteQueue

DISCIPLINES = (
    "fcfs+easy", "fcfs+none", "fcfs+skip", "fcfs+conservative", "lxf+easy", "wfp3+easy", "sjf+easy", "area+easy",
    "smallest+easy", "netbatch",
)  # fmt: skip
"""Orders and backfillings tried, the usual one first."""
LAUNCHES_S = (0.0, 30.0, 60.0, 120.0, 240.0, 480.0, 900.0)
CYCLES_S = (0.0, 30.0, 60.0, 300.0, 900.0)
USUAL = SiteQueue()
"""What is measured beside the best, so that it is seen what the fit is worth."""
_SOME_LAUNCH_S = 240.0
_LEADERS = 3
_LESS = 0.98
"""What is less plain must lower the error to this part of it, or it is taken for chance."""


@dataclass(frozen=True, eq=False)
class TriedQueue:
    """A guess.

    Attributes:
        queue: the queue of the guess.
        beside: its waits beside the recorded ones.
    """

    queue: SiteQueue
    beside: WeekByWeek


@dataclass(frozen=True, eq=False)
class SiteFit:
    """The result of the search.

    Attributes:
        tried: all guesses, in the order of their runs.
        best: of them, on even weeks.
        usual: first come first served with EASY at every event, which the best has to beat.
    """

    tried: tuple[TriedQueue, ...]
    best: TriedQueue
    usual: TriedQueue


@dataclass
class _Search:
    """What is tried so far."""

    make: Callable[[list[SiteQueue]], list[WeekByWeek]]
    tried: dict[SiteQueue, TriedQueue] = field(default_factory=dict)

    def look_at(self, queues: Iterable[SiteQueue]) -> None:
        """Try those that were not."""
        new = [queue for queue in dict.fromkeys(queues) if queue not in self.tried]
        for queue, beside in zip(new, self.make(new) if new else [], strict=True):
            self.tried[queue] = TriedQueue(queue, beside)

    def best_of(self, queues: Iterable[SiteQueue]) -> TriedQueue:
        """The lowest error on even weeks, where a plainer guess gives way only to a clearly better one."""
        best, *others = sorted((self.tried[queue] for queue in queues), key=lambda each: _plainness(each.queue))
        for each in others:
            if each.beside.even.error < _LESS * best.beside.even.error:
                best = each
        return best

    @property
    def best(self) -> SiteQueue:
        return self.best_of(self.tried).queue

    def best_under(self, discipline: str) -> SiteQueue:
        """The best of what was tried under one discipline."""
        return self.best_of(queue for queue in self.tried if queue.discipline == discipline).queue

    def leaders(self, disciplines: Sequence[str]) -> list[str]:
        """The disciplines that came nearest so far."""
        near = {
            name: min(each.beside.even.error for queue, each in self.tried.items() if queue.discipline == name)
            for name in disciplines
        }
        return sorted(near, key=lambda name: near[name])[:_LEADERS]


def fit_site(
    case: Case, policy: str, disciplines: Sequence[str], store: Store | None, pool: CellMaker, watch: Watch
) -> SiteFit:
    """Try orders, backfillings, launch overheads, cycles and estimates, and keep what reproduces even weeks best.

    Args:
        case: jobs whose recorded waits are known, and their hosts.
        policy: which hosts are taken.
        disciplines: to try.
        store: where trials are kept; none is made twice.
        pool: runs the cells.
        watch: gets the progress.

    Raises:
        InputError: no such policy or discipline.
    """
    workload = case.workload
    assert workload.recorded_wait_s is not None
    recorded = weekly(workload, workload.recorded_wait_s)
    work = trials_on(case)

    def make(queues: list[SiteQueue]) -> list[WeekByWeek]:
        cells = [cell_of(work, trial_of(policy, queue)) for queue in queues]
        return [WeekByWeek(recorded, week) for week in run_study(work, cells, store, pool, watch)]

    search = _Search(make)
    plain = [SiteQueue(name) for name in disciplines]
    search.look_at([USUAL, *(replace(queue, launch_s=s) for s in (0.0, _SOME_LAUNCH_S) for queue in plain)])
    leaders = search.leaders(disciplines)
    search.look_at(SiteQueue(name, launch_s=s) for name in leaders for s in LAUNCHES_S)
    for near in [search.best_under(name) for name in leaders]:
        launches = _up_to(near.launch_s)  # a cycle and a launch stand for one another, so both are tried together
        search.look_at(replace(near, interval_s=s, launch_s=o) for s in CYCLES_S for o in launches)
    if workload.estimate_s is not None:
        search.look_at([replace(search.best, estimates="exact")])
    search.look_at(replace(search.best, discipline=name) for name in disciplines)
    search.look_at(replace(search.best, launch_s=s) for s in _between(search.best.launch_s, LAUNCHES_S))
    search.look_at(replace(search.best, interval_s=s) for s in CYCLES_S)
    return SiteFit(tuple(search.tried.values()), search.tried[search.best], search.tried[USUAL])


def _up_to(value: float) -> list[float]:
    """None, the next below on the ladder, and itself."""
    return [0.0, *[each for each in LAUNCHES_S if each < value][-1:], value]


def _plainness(queue: SiteQueue) -> tuple[bool, float, float]:
    return queue.estimates != "user", queue.interval_s, queue.launch_s


def _between(value: float, ladder: Sequence[float]) -> list[float]:
    """Half-way to the neighbours on the ladder; above its end, steps of a half more."""
    lower = [each for each in ladder if each < value][-1:]
    upper = [each for each in ladder if each > value][:1] or [2 * value]
    return [(value + each) / 2 for each in (*lower, *upper)] + ([1.5 * upper[0]] if value >= ladder[-1] else [])
