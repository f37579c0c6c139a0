"""Bags of commands, run for real: what a sizer decides on, and what becomes of it."""
