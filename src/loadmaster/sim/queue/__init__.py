"""A queue before hosts that are held exclusively: who starts when, and where."""

from loadmaster.sim.queue.door import Engine, Progress, simulate

__all__ = ["Engine", "Progress", "simulate"]
