"""Logs and machine lists: readers, writers, generators."""

from loadmaster.traces.demo import demo
from loadmaster.traces.fit import Spread, fit_to
from loadmaster.traces.hosts import parse_hosts, read_hosts
from loadmaster.traces.netbatch import generate_netbatch
from loadmaster.traces.options import ReadOptions
from loadmaster.traces.reader import FORMATS, read_trace
from loadmaster.traces.spread import SpreadChoice, fit_by
from loadmaster.traces.swf import read_swf
from loadmaster.traces.trace import Skipped, Trace
from loadmaster.traces.writer import write_hosts, write_trace

__all__ = [
    "FORMATS", "ReadOptions", "Skipped", "Spread", "SpreadChoice", "Trace", "demo", "fit_by", "fit_to",
    "generate_netbatch", "parse_hosts", "read_hosts", "read_swf", "read_trace", "write_hosts", "write_trace",
]  # fmt: skip
