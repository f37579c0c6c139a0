"""Slurm as a live engine: its own commands are called, and what they print is read."""
