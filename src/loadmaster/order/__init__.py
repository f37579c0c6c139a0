"""Disciplines: in which order the queue is served, who is held back, who may overtake."""

from loadmaster.order.conservative import Conservative
from loadmaster.order.discipline import Discipline
from loadmaster.order.easy import Easy
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
    "easy": (
        Easy,
        "backfilling: the blocked head is promised a time, later jobs may not delay it",
        "Lifka 1995; Mu'alem and Feitelson 2001",
    ),
    "conservative": (
        Conservative,
        "backfilling: every waiting job has a place in a plan, later jobs may not delay it",
        "Mu'alem and Feitelson 2001",
    ),
}
"""Every discipline by its name on the command line: class, summary, source."""

__all__ = ["DISCIPLINES", "Conservative", "Discipline", "Easy", "FairShare", "Fcfs", "NetBatch"]
