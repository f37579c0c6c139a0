"""A queue before hosts that are held exclusively: who starts when, and where."""

from loadmaster.sim.queue.constrained_door import Progress
from loadmaster.sim.queue.door import Engine, simulate
from loadmaster.sim.queue.feedback import simulate_lived
from loadmaster.sim.queue.look_ahead import looking_ahead

__all__ = ["Engine", "Progress", "looking_ahead", "simulate", "simulate_lived"]
