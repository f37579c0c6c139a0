"""Results that were written under earlier names of classes."""

import dataclasses
import importlib

import pytest

from loadmaster.kept.former_names import FORMER
from loadmaster.kept.values import ABOUT, read_value, write_value
from loadmaster.measure.paired_comparison import Difference


def class_named(name):
    module, _, called = name.partition(":")
    return getattr(importlib.import_module(module), called)


def test_a_result_written_under_a_former_name_is_read(tmp_path):
    value = Difference(0.1, -0.2, 0.4, 0.03, "seeds")
    write_value(tmp_path, "some", [value])
    text = (tmp_path / ABOUT).read_text()
    assert "loadmaster.measure.paired_comparison:Difference" in text
    written = text.replace(
        "loadmaster.measure.paired_comparison:Difference", "loadmaster.measure.paired_comparison:Difference"
    )
    (tmp_path / ABOUT).write_text(written)
    assert read_value(tmp_path) == ("some", [value])


@pytest.mark.parametrize(("former", "now"), FORMER.items())
def test_a_former_name_stands_for_a_class_that_a_result_may_hold(former, now):
    kind = class_named(now)
    assert f"{kind.__module__}:{kind.__qualname__}" == now
    assert dataclasses.is_dataclass(kind) or hasattr(kind, "_fields")
    with pytest.raises((ImportError, AttributeError)):
        class_named(former)
