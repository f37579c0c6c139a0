"""The one list of sharing models; the contract tests run over all of it."""

from dataclasses import dataclass

from loadmaster.sharing.model import SharingModel
from loadmaster.sharing.processor_sharing import ProcessorSharing
from loadmaster.sharing.water_filling import WaterFilling


@dataclass(frozen=True)
class ListedModel:
    """A sharing model with what `loadmaster policies` says of it."""

    model: SharingModel
    summary: str
    source: str


LISTED_MODELS: dict[str, ListedModel] = {
    listed.model.name: listed
    for listed in (
        ListedModel(ProcessorSharing(), "every thread of a host gets the same, at most a core", "Amir et al. 2000"),
        ListedModel(WaterFilling(), "every task the same, what small ones leave goes to large ones", "Delgado 2011"),
    )
}
"""Every built-in sharing model by its name on the command line."""

SHARING_MODELS: dict[str, SharingModel] = {name: listed.model for name, listed in LISTED_MODELS.items()}
"""The models alone."""
