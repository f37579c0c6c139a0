"""Places a whole set of tasks at once: exact solvers, multi-capacity bin packing, greedy, rounding, local search."""

from loadmaster.packing.instance import Instance
from loadmaster.packing.packing import Attempt, Packing
from loadmaster.packing.solve import PACKERS, Packer, PackOptions, finish, pack

__all__ = ["PACKERS", "Attempt", "Instance", "PackOptions", "Packer", "Packing", "finish", "pack"]
