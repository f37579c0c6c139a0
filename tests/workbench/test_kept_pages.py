import asyncio
from pathlib import Path

import pytest
from benches import bench_over, compared, simulated

from loadmaster.workbench.pages import Pages
from loadmaster.workbench.refusal import Refused


class Made:
    """Makes pages as `report` does, and counts."""

    def __init__(self):
        self.asked = []

    async def ask(self, arguments, folder):
        self.asked.append(arguments[:2])
        await asyncio.sleep(0)
        Path(arguments[arguments.index("-o") + 1]).write_text("a page")
        return {}


@pytest.fixture
def pages(tmp_path):
    bench, made = bench_over(tmp_path), Made()
    return bench, made, Pages(bench.places, made)


def test_the_page_that_a_verb_wrote_is_shown_as_it_is(tmp_path, pages):
    bench, made, kept = pages
    compared(tmp_path / "a", {"first-fit": 1.0})
    assert asyncio.run(kept.page_of(bench.found("0/a"))) == tmp_path / "a" / "report.html"
    assert made.asked == []


def test_a_page_is_made_once_for_a_record_and_again_once_it_has_changed(tmp_path, pages):
    bench, made, kept = pages
    simulated(tmp_path / "a")

    async def twice():
        return await asyncio.gather(*(kept.page_of(bench.found("0/a")) for _ in range(2)))

    first = asyncio.run(twice())
    assert made.asked == [["report", str(tmp_path / "a")]]
    assert first[0] == first[1]
    assert first[0].is_relative_to(tmp_path / ".workbench")
    simulated(tmp_path / "a", ids=(1, 2, 3))
    second = asyncio.run(kept.page_of(bench.found("0/a")))
    assert len(made.asked) == 2
    assert list(second.parent.iterdir()) == [second]


def test_where_no_page_can_be_made_it_is_said(tmp_path, pages):
    bench, _, kept = pages
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "results.sqlite").touch()
    with pytest.raises(Refused, match="no page here yet"):
        asyncio.run(kept.page_of(bench.found("0/a")))
