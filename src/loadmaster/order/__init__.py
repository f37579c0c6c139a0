"""Orders: which waiting job goes first. One a file, all listed here."""

from loadmaster.order.area import area
from loadmaster.order.f1 import f1
from loadmaster.order.f2 import f2
from loadmaster.order.f3 import f3
from loadmaster.order.f4 import f4
from loadmaster.order.fair_share import FairShare
from loadmaster.order.fcfs import fcfs
from loadmaster.order.job import Backlog, Job, JobColumns, job_columns
from loadmaster.order.largest import largest
from loadmaster.order.ljf import ljf
from loadmaster.order.lxf import lxf
from loadmaster.order.multifactor import Multifactor
from loadmaster.order.order import AnyOrder, Order, Rank, Ranking
from loadmaster.order.priority import priority
from loadmaster.order.sjf import sjf
from loadmaster.order.smallest import smallest
from loadmaster.order.srf import srf
from loadmaster.order.unicef import unicef, unicef_cobalt
from loadmaster.order.wfp3 import wfp3

_TANG = "Tang et al. 2009; Cobalt"
_FITTED = "Carastan-Santos and de Camargo 2017"
ORDERS: dict[str, Order] = {
    order.name: order
    for order in (
        Order("fcfs", fcfs, "first come, first served", moves=False),
        Order("priority", priority, "the highest priority that the log gives", moves=False),
        Order("sjf", sjf, "the shortest expected runtime", moves=False),
        Order("ljf", ljf, "the longest expected runtime", moves=False),
        Order("smallest", smallest, "the fewest cores", moves=False),
        Order("largest", largest, "the most cores", moves=False),
        Order("area", area, "the smallest cores x expected runtime", moves=False),
        Order("srf", srf, "the smallest expected runtime / cores", "Lelong et al. 2017", moves=False),
        Order("lxf", lxf, "the largest (wait + expected runtime) / expected runtime"),
        Order("wfp3", wfp3, "the largest (wait / expected runtime)^3 x cores", _TANG),
        Order(
            "unicef", unicef, "the largest wait / (log2 cores x expected runtime)", _TANG,
            forms=(("log2", unicef), ("cobalt", unicef_cobalt)),
        ),
        Order("f1", f1, "the smallest log10(runtime) x cores + 870 log10(arrival)", _FITTED, moves=False),
        Order("f2", f2, "the smallest sqrt(runtime) x cores + 25600 log10(arrival)", _FITTED, moves=False),
        Order("f3", f3, "the smallest runtime x cores + 6860000 log10(arrival)", _FITTED, moves=False),
        Order("f4", f4, "the smallest runtime x sqrt(cores) + 530000 log10(arrival)", _FITTED, moves=False),
    )
}  # fmt: skip
"""Every order that is a function of job and time, by its name on the command line."""

ORDERS_WITH_MEMORY: dict[str, tuple[type[AnyOrder], str, str]] = {
    "fair-share": (FairShare, "the project furthest below its share goes first", "Shai 2014"),
    "multifactor": (Multifactor, "the highest priority by weighted factors, with fair share that fades", "Slurm"),
}
"""Every order with parameters or a memory: class, summary, source."""

__all__ = [
    "ORDERS", "ORDERS_WITH_MEMORY", "AnyOrder", "Backlog", "FairShare", "Job", "JobColumns", "Multifactor", "Order",
    "Rank", "Ranking", "job_columns",
]  # fmt: skip
