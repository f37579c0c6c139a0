"""Sharing models: how a host divides its CPU among the tasks on it."""

from loadmaster.sharing.water_filling import capped_by_yield, equal_shares, water_fill

__all__ = ["capped_by_yield", "equal_shares", "water_fill"]
