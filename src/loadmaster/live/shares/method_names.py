"""Methods of CPU shares by their names on the command line."""

from loadmaster.live.shares.by_packing import ByPacking
from loadmaster.live.shares.by_placement import ByPlacement
from loadmaster.live.shares.by_yield import ByYield
from loadmaster.live.shares.method import ShareMethod
from loadmaster.model import InputError
from loadmaster.packing.solve import packer_named
from loadmaster.rules.find import Reference
from loadmaster.scheduling.fractional import Fractional
from loadmaster.scheduling.time_shared import METHODS


def share_method_named(spec: str, least_yield: float = 0.0) -> ShareMethod:
    """`fractional`, a method of time-shared clusters that never moves (`pvm`, `e-pvm`, ...), or a packer (`mcb8`, ...).

    Raises:
        InputError: no such method, or one whose decisions could not be taken again from the record.
    """
    if not 0 <= least_yield <= 1:
        raise InputError(least_yield, "a yield lies between 0 and 1")
    if spec == "fractional":
        return ByYield(Fractional(least_yield=least_yield))
    if spec in METHODS:
        return _placing(spec, least_yield)
    if Reference.of(spec) is not None:
        raise InputError(spec, "rules of one's own are not served here", fix="name a built-in method or packer")
    packer = packer_named(spec)
    if packer.timed:
        raise InputError(spec, "this packer has a time limit, so its decisions cannot be repeated", fix="such as mcb8")
    if packer.prepare is not None:
        packer.prepare()
    return ByPacking(packer, least_yield)


def _placing(spec: str, least_yield: float) -> ShareMethod:
    method = METHODS[spec]
    if method.mover is not None or method.blind:
        fix = "pvm, e-pvm, assign-u or greedy; `share` simulates it"
        raise InputError(
            spec, "a method that moves at fixed times or does not know the needs is not served here", fix=fix
        )
    if least_yield > 0:
        raise InputError(f"{spec} --least-yield {least_yield:g}", "this method has no limit", fix="leave it out")
    return ByPlacement(method)
