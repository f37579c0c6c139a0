import json

import numpy as np
import pytest

from loadmaster.model import Cluster
from loadmaster.packing.switches import McbSwitches
from loadmaster.results.up_to_date import Maker, entry, up_to_date
from loadmaster.results.values import ABOUT, digest_of

MAKER = Maker("loadmaster.report.compare_page", "page_parts", ("altair",))


@pytest.fixture
def page(tmp_path):
    """A page that was made of `first`, with the value beside it."""
    path = tmp_path / "report.html"
    path.write_text("a page")
    (tmp_path / ABOUT).write_text(json.dumps({"made": {"report.html": entry(path, "first")}}))
    return path


def test_a_page_of_the_same_value_that_nobody_changed_need_not_be_made_again(page):
    assert up_to_date(page, "first")
    assert not up_to_date(page, "second")


def test_a_page_that_was_changed_or_is_gone_is_made_again(page):
    page.write_text("a page, changed by hand")
    assert not up_to_date(page, "first")
    page.unlink()
    assert not up_to_date(page, "first")


@pytest.mark.parametrize("about", ["", "{}", "[]", "null", '{"made": null}', '{"made": {"report.html": 1}}'])
def test_a_damaged_note_says_nothing(page, about):
    (page.parent / ABOUT).write_text(about)
    assert not up_to_date(page, "first")


def test_the_name_of_what_decides_changes_with_the_value_its_arrays_and_the_maker():
    small, large = Cluster.uniform(2, cores=4.0), Cluster.uniform(2, cores=8.0)
    names = [
        MAKER.of(small, {}),
        MAKER.of(large, {}),
        MAKER.of(McbSwitches(), {}),
        MAKER.of(McbSwitches(grid=1), {}),
        MAKER._replace(module="loadmaster.report.theme").of(small, {}),
        MAKER._replace(libraries=()).of(small, {}),
    ]
    assert len(set(names)) == len(names)
    assert MAKER.of(Cluster.uniform(2, cores=4.0), {}) == names[0]


def test_arrays_of_other_shapes_and_types_have_other_names():
    same = np.arange(4, dtype=np.int64)
    arrays = [same, same.reshape(2, 2), same.astype(np.float64), same.view(np.uint64)]
    assert len({digest_of([array]) for array in arrays}) == len(arrays)
