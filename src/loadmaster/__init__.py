"""Decide where each job of a computing cluster goes: simulated, compared with the optimum, run live."""

__version__ = "0.1.0"
