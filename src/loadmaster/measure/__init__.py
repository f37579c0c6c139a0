"""Metrics of schedules, and checks that a schedule is one."""

from loadmaster.measure.check import violations
from loadmaster.measure.little import LittleCheck, little
from loadmaster.measure.members import MemberShare, member_shares
from loadmaster.measure.queue_metrics import Metrics, metrics, waits

__all__ = ["LittleCheck", "MemberShare", "Metrics", "little", "member_shares", "metrics", "violations", "waits"]
