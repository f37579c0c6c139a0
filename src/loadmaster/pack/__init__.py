"""Places a whole set of tasks at once: exact solvers, multi-capacity bin packing, greedy, rounding, local search."""

from loadmaster.pack.instance import Instance
from loadmaster.pack.packing import Attempt, Packing
from loadmaster.pack.solve import PACKERS, Packer, PackOptions, finish, pack

__all__ = ["PACKERS", "Attempt", "Instance", "PackOptions", "Packer", "Packing", "finish", "pack"]
