"""The library of libvirt is used if it is installed; else an error names the package."""

import sys
from types import ModuleType

import pytest

from loadmaster.live.libvirt.library import libvirt
from loadmaster.model.errors import MissingExtra


def test_a_folder_that_is_called_libvirt_is_not_taken_for_the_library(monkeypatch):
    monkeypatch.setitem(sys.modules, "libvirt", ModuleType("libvirt"))  # as Python makes it of a folder on its path
    with pytest.raises(MissingExtra, match="libvirt"):
        libvirt.__wrapped__()
