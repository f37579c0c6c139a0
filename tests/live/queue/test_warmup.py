"""A long queue made up: what only long queues need is compiled before the first cycle, and nothing else comes of it."""

import numpy as np
import pytest
from fake_runs import FOUR, ruled

from loadmaster.live.fake.engine import FakeEngine
from loadmaster.live.queue.decider import LiveExtras
from loadmaster.live.queue.ledger import Ledger
from loadmaster.live.queue.listing import listing_of
from loadmaster.live.queue.record import LiveRecord
from loadmaster.live.queue.run_live import run_live
from loadmaster.live.queue.settings import LiveSettings
from loadmaster.live.queue.warmup import with_long_queue
from loadmaster.live.session.clocks import FakeClock
from loadmaster.model import Constraints, Dependencies, Workload
from loadmaster.scheduling.scheduler import WORTHWHILE


def jobs(**more):
    return Workload.of(submit_s=[0.0, 0.0], runtime_s=[50, 50], cores=[8, 2], memory=[1, 1], **more)


@pytest.mark.parametrize(
    "work",
    [
        jobs(), jobs(tasks=[3, 2]),
        jobs(constraints=Constraints(hold=np.array([1, 1]), depends=Dependencies.of(["", "afterok:1"]))),
        Workload.of(submit_s=[1e6], runtime_s=[5], cores=[1], memory=[1]),
    ],
    ids=["two jobs", "of several tasks", "held by their users", "none there"],
)  # fmt: skip
def test_a_decision_on_the_made_up_queue_is_one_that_is_made_compiled(work):
    listing = listing_of(FakeEngine(work, FOUR, FakeClock()).observe())
    ledger = Ledger(ruled().discipline.order, 0.0, 0)
    ledger.see(with_long_queue(listing), 0.0)
    snapshot = ledger.snapshot()
    assert len(snapshot.queue) * len(snapshot.free) >= WORTHWHILE


class Asked:
    """A scheduler that remembers how long the queues were on which it decided."""

    def __init__(self):
        self.rule, self.queues = ruled(), []

    @property
    def discipline(self):
        return self.rule.discipline

    def decide(self, snapshot):
        self.queues.append(len(snapshot.queue))
        return self.rule.decide_plainly(snapshot)


@pytest.mark.parametrize(("ready", "longest"), [(False, 2), (True, WORTHWHILE // 4 + 3)])
def test_only_where_it_is_asked_for_a_long_queue_is_tried_and_never_recorded(tmp_path, ready, longest):
    clock, asked, record = FakeClock(), Asked(), LiveRecord(tmp_path)
    report = run_live(
        FakeEngine(jobs(), FOUR, clock), clock, asked, LiveSettings(5.0, for_s=20.0), record, LiveExtras(ready=ready)
    )
    record.close()
    assert max(asked.queues) == longest
    assert report.starts == 2
    assert "made up" not in (tmp_path / "live.jsonl").read_text()
