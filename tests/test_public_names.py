"""`import loadmaster as lm`: what it offers, and what it costs."""

import subprocess
import sys

import pytest

import loadmaster as lm


def test_importing_the_package_loads_none_of_its_rooms_and_no_library():
    code = (
        "import sys, loadmaster; print(*[m for m in sys.modules if m.startswith(('loadmaster.', 'numpy', 'polars'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_every_public_name_is_there_and_listed():
    assert {*lm.__all__, "open"} <= {*dir(lm)}
    for name in dir(lm):
        assert getattr(lm, name) is not None


def test_a_name_that_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'compair'"):
        lm.compair  # noqa: B018
