"""A rule of each other kind of one's own: backfilling, packer, mover, sharing model, sizer and generator."""

from dataclasses import dataclass

import numpy as np

import loadmaster as lm
from loadmaster.model.bag import Bag
from loadmaster.move.migration import TaskMove
from loadmaster.sizing import Actions, Rental


class WhoeverFits:
    """A backfilling: every waiting job in turn, whoever fits starts."""

    def serve(self, this_pass):
        """Walk the queue."""
        for row in this_pass.rows():
            this_pass.start(row)


def round_robin(instance):
    """A packer: the tasks in turn, each to the next host that has room for what must fit in full."""
    left = instance.rigid_capacity.copy()
    hosts, after = [], 0
    for rigid in instance.rigid:
        fits = [h % len(left) for h in range(after, after + len(left)) if (left[h % len(left)] >= rigid).all()]
        hosts.append(fits[0] if fits else -1)
        if fits:
            left[fits[0]] -= rigid
            after = fits[0] + 1
    return hosts


@dataclass(frozen=True)
class NeverMoves:
    """A mover: every so many seconds each host looks at one other, and leaves all where it is."""

    period_s: float = 5.0
    fanout: int = 1
    name: str = "never-moves"

    def turn(self, hosts, host, contacts, demand, pick) -> TaskMove | None:
        """Nothing moves."""
        return None


def equal_parts(demand, capacity):
    """A sharing model: every task gets the same part of the CPU, be it more than it requests or not."""
    asked = np.maximum(demand[:, 0], 1e-9)
    return np.minimum(1.0, capacity[0] / len(demand) / asked)


@dataclass(frozen=True)
class HalfAsMany:
    """A sizer: a machine for every two tasks that wait, or as many as are said."""

    tasks: int = 2
    name: str = "half-as-many"
    tick_s: float = 1.0

    def decide(self, snapshot):
        """Rent what is missing."""
        missing = -(-snapshot.unstarted // self.tasks) - len(snapshot.hosts)
        return Actions(rent=(Rental(0, missing),) if missing > 0 else ())


def frames(seed, tasks=64):
    """A generator: the frames of a film, every eighth of which takes four times as long."""
    seconds = np.random.default_rng(seed).normal(90.0, 10.0, tasks)
    return Bag(np.where(np.arange(tasks) % 8 == 7, 4 * seconds, seconds))


print(lm.pack(lm.generate.virtual_clusters(hosts=8, tasks=24, seed=1), method=round_robin))
log = lm.generate.opportunity(window=200.0, seed=3)
shared = lm.share(log, methods=["pvm", ("pvm", NeverMoves(period_s=9.0))], sharing=equal_parts)
print(shared.frame.select("method", "mean_stretch", "migrations"))
print(lm.compare(log, spread="any", policies="first-fit", disciplines=["easy", ("sjf", WhoeverFits)]).answer)
print(lm.size(lm.generate.own(frames, seed=1), repetitions=3, sizers=["planner", HalfAsMany(tasks=8)]).answer)
print(lm.run(["echo one", "echo two", "echo three"], sizer=HalfAsMany(), out="bag.run").frame)
