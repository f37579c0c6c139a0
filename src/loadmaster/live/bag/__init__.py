"""Bags of commands, run for real: the state that a sizer decides on, and its results."""
