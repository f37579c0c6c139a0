"""The engines: a plain one that is the specification, and compiled ones that must agree with it."""

from loadmaster.sim.engine import Engine, Progress, simulate

__all__ = ["Engine", "Progress", "simulate"]
