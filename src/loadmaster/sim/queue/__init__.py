"""The queue of a cluster whose hosts are held exclusively: when and where each job starts."""

from loadmaster.sim.queue.feedback import simulate_lived
from loadmaster.sim.queue.look_ahead import looking_ahead
from loadmaster.sim.queue.queue_run import Progress
from loadmaster.sim.queue.simulation import simulate
from loadmaster.sim.queue.unconstrained_run import Engine

__all__ = ["Engine", "Progress", "looking_ahead", "simulate", "simulate_lived"]
