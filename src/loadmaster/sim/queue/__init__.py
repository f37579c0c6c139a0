"""A queue before hosts that are held exclusively: who starts when, and where."""

from loadmaster.sim.queue.bound_door import Progress
from loadmaster.sim.queue.closed import simulate_lived
from loadmaster.sim.queue.door import Engine, simulate

__all__ = ["Engine", "Progress", "simulate", "simulate_lived"]
