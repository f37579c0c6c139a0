"""The one list of sharing models; the contract tests run over all of it."""

from loadmaster.sharing.equal_caps import EqualCaps
from loadmaster.sharing.model import SharingModel
from loadmaster.sharing.processor_sharing import ProcessorSharing
from loadmaster.sharing.water_filling import WaterFilling

SHARING_MODELS: dict[str, tuple[SharingModel, str, str]] = {
    model.name: (model, summary, source)
    for model, summary, source in (
        (ProcessorSharing(), "every thread of a host gets the same, at most a core", "Amir et al. 2000"),
        (WaterFilling(), "every task gets the same, what small ones leave goes to large ones", "Delgado 2011"),
        (EqualCaps(), "no task gets more than its equal part of the host; what it leaves is lost", ""),
    )
}
"""Every built-in sharing model by its name on the command line: model, summary, source."""
