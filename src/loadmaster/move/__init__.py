"""Migration: movers of time-shared hosts, and better mappings within a budget in an order that overfills no host.

Each is imported from its own file: movers must not wait for the solvers that the mappings need.
"""
