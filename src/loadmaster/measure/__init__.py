"""Metrics of schedules, and checks that a schedule is one."""

from loadmaster.measure.waiting import Metrics, metrics

__all__ = ["Metrics", "metrics"]
