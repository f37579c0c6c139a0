"""The settings that all rows of a sharing comparison have in common, and the names that one may have."""

from dataclasses import dataclass, field
from typing import Literal

from loadmaster.backfilling import BACKFILLINGS
from loadmaster.model import InputError
from loadmaster.move.migration import MigrationCost
from loadmaster.order import ORDERS, ORDERS_WITH_MEMORY
from loadmaster.place import POLICIES
from loadmaster.rules.find import NO_SOURCES, Reference, Sources, sources
from loadmaster.rules.near import no_such
from loadmaster.runs.setting import Setting, discipline_of, policy_of, sources_of
from loadmaster.scheduling import is_discipline
from loadmaster.scheduling.estimate_model import estimate_model_named
from loadmaster.scheduling.fractional import Fractional
from loadmaster.scheduling.meta_rules import name_of
from loadmaster.scheduling.notation import is_own_discipline
from loadmaster.scheduling.time_shared import METHODS, method_named, parts_of
from loadmaster.sharing.host_loads import CpuLoad
from loadmaster.sharing.load import sharing_named
from loadmaster.sharing.model import SharingModel
from loadmaster.sharing.processor_sharing import ProcessorSharing
from loadmaster.sharing.thrashing import THRASH, check_thrash
from loadmaster.sharing.vm_choice import VM_CHOICES
from loadmaster.sharing.water_filling import WaterFilling

FRACTIONAL = "fractional"
BATCH_POLICY = "best-fit-memory"
"""The placement policy of a batch queue for which none is named."""
Kind = Literal["shared", "fractional", "vms", "batch"]


@dataclass(frozen=True)
class SharingSettings:
    """The settings that all methods of sharing have in common.

    Attributes:
        sharing: name of a sharing model, or `file.py:function`; empty: each method's own.
        thrash: the factor by which a time-shared host slows down while its memory is over-committed.
        needs: `told`, or `learned`: policies see only what they observed of earlier jobs.
        vm_shares: of the VMs of every host, for the choices of VMs.
        estimates, overrun: of batch queues, as in `Setting`.
    """

    sharing: str = ""
    thrash: float = THRASH
    cpu_load: CpuLoad = "jobs/speed"
    migration: MigrationCost = field(default_factory=MigrationCost)
    fractional: Fractional = field(default_factory=Fractional)
    needs: Literal["told", "learned"] = "told"
    vm_shares: tuple[float, ...] = (1.0, 1.0, 1.0, 1.0)
    seed: int = 0
    estimates: str = "user"
    overrun: str = "run"

    def __post_init__(self) -> None:
        check_thrash(self.thrash)
        estimate_model_named(self.estimates, self.overrun)

    def model(self, kind: Kind, texts: Sources) -> SharingModel:
        """How hosts divide their CPU under methods of this kind; files are taken from their texts.

        Raises:
            InputError: no such sharing model.
        """
        if self.sharing:
            return sharing_named(self.sharing, texts)
        return WaterFilling() if kind == "vms" else ProcessorSharing()

    def texts(self, method: str, policy: str) -> dict[str, str]:
        """The text of each file that a row of `method`, whose queue places by `policy`, takes a rule from.

        Raises:
            InputError: a file is not there or not text.
        """
        kind = kind_of(method)
        if kind == "batch":
            return sources_of(queue_setting(method, policy, self))
        plain, _, mover = parts_of(method) if kind == "shared" else (method, "", "")
        beside = (self.sharing, self.fractional.packer) if kind == "fractional" else (self.sharing,)
        return sources(plain, *(name_of(spec) for spec in (mover, *beside) if spec))


def kind_of(method: str, sources: Sources = NO_SOURCES) -> Kind:
    """Which kind of sharing `method` names; a name that is none counts as a time-shared method.

    Raises:
        InputError: it names a file of the user's that is not there, or nothing in it.
    """
    if method == FRACTIONAL:
        return "fractional"
    if is_discipline(method):
        return "batch"
    if method in VM_CHOICES:
        return "vms"
    moved = parts_of(method)[0] in (*METHODS, *POLICIES)  # what stands behind the plus is a mover
    return "batch" if not moved and is_own_discipline(method, sources) else "shared"


def check_method(
    method: str, settings: SharingSettings, policy: str = BATCH_POLICY, sources: Sources = NO_SOURCES
) -> None:
    """Refuse at once what `run_sharing` would refuse; files are taken from their texts in `sources`, if they are there.

    Raises:
        InputError: no such method or sharing model, or a batch queue that is not told the needs.
    """
    kind = kind_of(method, sources)
    if kind == "batch":
        _check_batch(method, settings, policy, sources)
        return
    settings.model(kind, sources)
    if kind != "shared":
        return
    plain, plus, _ = parts_of(method)
    if plus and kind_of(plain) != "shared":
        raise InputError(method, f"{plain} takes no mover", fix="movers go with methods and placement policies")
    names = [*METHODS, *POLICIES, FRACTIONAL, *ORDERS, *ORDERS_WITH_MEMORY, *BACKFILLINGS, *VM_CHOICES]
    if plain not in names and Reference.of(plain) is None:
        raise no_such(plain, names, what="method, placement policy or discipline")
    method_named(method, sources)


def queue_setting(method: str, policy: str, settings: SharingSettings) -> Setting:
    """The batch queue `method`, which places by `policy`, deciding at every event."""
    return Setting(
        policy, method, interval_s=0.0, seed=settings.seed, estimates=settings.estimates, overrun=settings.overrun
    )


def _check_batch(method: str, settings: SharingSettings, policy: str, sources: Sources) -> None:
    if settings.needs == "learned":
        raise InputError(
            method,
            "a batch queue must be told the needs: its tasks hold what they request",
            fix="leave it out, or use --needs told",
        )
    setting = queue_setting(method, policy, settings)
    policy_of(setting, sources)
    discipline_of(setting, sources)
