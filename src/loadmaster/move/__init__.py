"""Movers: which running task goes to which other host."""
