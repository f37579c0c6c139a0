"""Which kind of thing a name is, and where that kind is taken, to lead a name in the wrong place to the right one."""

from functools import cache

from loadmaster.backfilling import BACKFILLINGS
from loadmaster.order import ORDERS, ORDERS_WITH_MEMORY
from loadmaster.packing.solve import PACKERS
from loadmaster.place import POLICIES
from loadmaster.schedule.time_shared import METHODS, MOVERS
from loadmaster.sharing.vm_choice import VM_CHOICES
from loadmaster.sizing import SIZERS


@cache
def elsewhere(wanted: str) -> dict[str, str]:
    """For every name that is no `wanted` but something else: what it is, and what to write, in words.

    Args:
        wanted: `placement policy` or `discipline`.

    Example:
        >>> elsewhere("placement policy")["e-pvm"]
        'it is a method of `loadmaster share`, which places by opportunity-cost: use that here, or `share`'
        >>> elsewhere("discipline")["mix-fit"]
        'it is a placement policy: give it to --policies'
    """
    found = dict.fromkeys(PACKERS, "it is a packer: `loadmaster pack --method` takes it")
    found |= dict.fromkeys(SIZERS, "it is a sizer: `loadmaster size` and `run` take it")
    found |= dict.fromkeys(VM_CHOICES, "it is a choice of virtual machines: `loadmaster share --methods` takes it")
    found |= dict.fromkeys(MOVERS, "it moves tasks between shared machines: `loadmaster share --methods POLICY+MOVER`")
    found |= {name: _method(name) for name in METHODS}
    disciplines = (*ORDERS, *ORDERS_WITH_MEMORY, *BACKFILLINGS)
    found |= dict.fromkeys(disciplines, "it is a discipline: give it to --disciplines")
    found |= dict.fromkeys((*POLICIES, "max-jobs"), "it is a placement policy: give it to --policies")
    if wanted == "placement policy":
        return {name: words for name, words in found.items() if name not in POLICIES}
    return {name: words for name, words in found.items() if name not in disciplines}


def _method(name: str) -> str:
    policy = METHODS[name].policy.name
    return f"it is a method of `loadmaster share`, which places by {policy}: use that here, or `share`"
