"""Logs and machine lists: readers, writers, generators.

Every name here is loaded when it is first used: the names of formats need no library of tables.
"""

from typing import TYPE_CHECKING

from loadmaster.system.lazy import names_later

if TYPE_CHECKING:
    from loadmaster.traces.demo_log import demo
    from loadmaster.traces.fit import Spread, fit_to
    from loadmaster.traces.formats import FORMATS
    from loadmaster.traces.hosts import parse_hosts, read_hosts
    from loadmaster.traces.lublin import generate_lublin
    from loadmaster.traces.netbatch import generate_netbatch
    from loadmaster.traces.options import ReadOptions
    from loadmaster.traces.reader import read_trace
    from loadmaster.traces.spread import SpreadChoice, fit_by
    from loadmaster.traces.swf import read_swf
    from loadmaster.traces.trace import Skipped, Trace
    from loadmaster.traces.writer import write_hosts, write_trace

__all__ = [
    "FORMATS", "ReadOptions", "Skipped", "Spread", "SpreadChoice", "Trace", "demo", "fit_by", "fit_to",
    "generate_lublin", "generate_netbatch", "parse_hosts", "read_hosts", "read_swf", "read_trace", "write_hosts",
    "write_trace",
]  # fmt: skip

__getattr__ = names_later(
    __name__,
    {
        "loadmaster.traces.demo_log": ("demo",),
        "loadmaster.traces.fit": ("Spread", "fit_to"),
        "loadmaster.traces.hosts": ("parse_hosts", "read_hosts"),
        "loadmaster.traces.lublin": ("generate_lublin",),
        "loadmaster.traces.netbatch": ("generate_netbatch",),
        "loadmaster.traces.options": ("ReadOptions",),
        "loadmaster.traces.formats": ("FORMATS",),
        "loadmaster.traces.reader": ("read_trace",),
        "loadmaster.traces.spread": ("SpreadChoice", "fit_by"),
        "loadmaster.traces.swf": ("read_swf",),
        "loadmaster.traces.trace": ("Skipped", "Trace"),
        "loadmaster.traces.writer": ("write_hosts", "write_trace"),
    },
)
