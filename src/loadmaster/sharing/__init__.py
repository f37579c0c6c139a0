"""Sharing models: how a host divides its CPU among the tasks on it."""

from loadmaster.sharing.load import sharing_named
from loadmaster.sharing.model import Claims, SharingModel, divided
from loadmaster.sharing.models import SHARING_MODELS
from loadmaster.sharing.processor_sharing import ProcessorSharing
from loadmaster.sharing.water_filling import WaterFilling, water_fill

__all__ = [
    "SHARING_MODELS", "Claims", "ProcessorSharing", "SharingModel", "WaterFilling", "divided", "sharing_named",
    "water_fill",
]  # fmt: skip
