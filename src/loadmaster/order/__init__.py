"""Orders: which waiting job goes first. One a file, all listed here."""

from loadmaster.order.fair_share import FairShare
from loadmaster.order.fcfs import fcfs
from loadmaster.order.job import Job, JobColumns, job_columns
from loadmaster.order.order import AnyOrder, Order, Rank, Ranking

ORDERS: dict[str, Order] = {
    order.name: order for order in (Order("fcfs", fcfs, "first come, first served", moves=False),)
}
"""Every order that is a function of job and time, by its name on the command line."""

ORDERS_WITH_MEMORY: dict[str, tuple[type[AnyOrder], str, str]] = {
    "fair-share": (FairShare, "the project furthest below its share goes first", "Shai 2014"),
}
"""Every order with parameters or a memory: class, summary, source."""

__all__ = [
    "ORDERS", "ORDERS_WITH_MEMORY", "AnyOrder", "FairShare", "Job", "JobColumns", "Order", "Rank", "Ranking",
    "job_columns",
]  # fmt: skip
