"""Live runs on a fake of the API of Kubernetes."""

import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from fake_kubernetes import FakeKubernetes, serving
from pods_and_nodes import node

from loadmaster.live.kubernetes.api import Api
from loadmaster.live.kubernetes.engine import KubernetesEngine
from loadmaster.live.kubernetes.pods import PodScope
from loadmaster.live.queue.record import LiveRecord
from loadmaster.live.queue.run_live import run_live
from loadmaster.live.queue.settings import LiveSettings
from loadmaster.live.session.clocks import FakeClock
from loadmaster.place import POLICIES
from loadmaster.scheduling import Scheduler, discipline_named

RULE = Scheduler(POLICIES["first-fit"], discipline_named("easy"))


@dataclass
class Made:
    fake: FakeKubernetes
    clock: FakeClock
    api: Api
    config: Any

    def engine(self, **more):
        return KubernetesEngine(self.api, now_s=self.clock.now_s, **more)

    def run(self, folder, *, for_s=60.0, mode="live", events=(), rule=RULE, **settings):
        """A live run; `events` are (moment, what to do) of the world outside."""
        waiting = sorted(events, key=lambda event: event[0])
        engine = self.engine(looks_on=mode != "live", scope=PodScope(everyone=mode == "shadow"))

        def observe():
            while waiting and waiting[0][0] <= self.clock.now_s():
                waiting.pop(0)[1]()
            return KubernetesEngine.observe(engine)

        engine.observe = observe
        record = LiveRecord(folder)
        how = LiveSettings(**{"interval_s": 5.0, "mode": mode, "for_s": for_s, "on_exit": "hold", **settings})
        try:
            return run_live(engine, self.clock, rule, how, record)
        finally:
            record.close()
            engine.close()


def until(holds):
    end = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.002)


@contextmanager
def fake_cluster(folder):
    """Two nodes, a clock, and the API that a file in `folder` names."""
    clock = FakeClock(1000.0)
    fake = FakeKubernetes(clock.now_s)
    fake.add(node("n1"), node("n2"))
    with serving(fake, folder) as config:
        yield Made(fake, clock, Api(config), config)
