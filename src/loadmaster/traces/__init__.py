"""Logs and machine lists: readers, writers, generators."""

from loadmaster.traces.hosts import parse_hosts
from loadmaster.traces.swf import read_swf
from loadmaster.traces.trace import Skipped, Trace

__all__ = ["Skipped", "Trace", "parse_hosts", "read_swf"]
