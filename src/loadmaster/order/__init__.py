"""Disciplines: in which order the queue is served, who is held back, who may overtake."""

from loadmaster.order.discipline import Discipline
from loadmaster.order.fair_share import FairShare
from loadmaster.order.fcfs import Fcfs
from loadmaster.order.netbatch import NetBatch

DISCIPLINES = {
    "netbatch": (
        NetBatch,
        "walk the whole queue, reserve a host for each job that does not fit",
        "Shai 2014",
    ),
    "fcfs": (Fcfs, "the head of the queue blocks all behind it", ""),
    "fair-share": (FairShare, "the project furthest below its share goes first", "Shai 2014"),
}
"""Every discipline by its name on the command line: class, summary, source."""

__all__ = ["DISCIPLINES", "Discipline", "FairShare", "Fcfs", "NetBatch"]
