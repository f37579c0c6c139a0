"""Every reproduced paper has its page, with claims as `reproduce` prints them."""

import re
import sys
from pathlib import Path
from typing import get_args

import pytest

from loadmaster.papers import PAPERS
from loadmaster.papers.claim import Verdict

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "docs" / "reference").glob("papers-*.md"))


@pytest.fixture(scope="module")
def tool():
    sys.path.insert(0, str(ROOT / "tools"))
    import paper_pages

    yield paper_pages
    sys.path.remove(str(ROOT / "tools"))


def test_each_paper_has_a_page_that_names_its_command():
    of_ours = {"matrix"}  # a study of our own: it claims nothing that was published
    assert {page.stem.removeprefix("papers-") for page in PAGES} == set(PAPERS) - of_ours
    for page in PAGES:
        assert f"`loadmaster reproduce {page.stem.removeprefix('papers-')}`" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("page", [page for page in PAGES if "shai2014" not in page.name], ids=lambda page: page.stem)
def test_the_verdicts_of_a_page_are_those_of_the_judges(page):
    text = page.read_text(encoding="utf-8")
    verdicts = re.findall(r"\| ([^|]*) \|$", text, re.MULTILINE)
    assert len(verdicts) > 10
    assert set(verdicts) - {"verdict"} <= set(get_args(Verdict))


def test_only_what_stands_between_the_marks_is_replaced(tool):
    document = {
        "paper": "some2000",
        "command": "loadmaster reproduce some2000 --traces /home/me",
        "quick": True,
        "seed": 3,
        "notes": ["A note."],
        "rows": [{"where": "table 1", "claim": "a < b | c", "published": "1", "ours": "2", "verdict": "differs"}],
    }
    page = f"# Some\n{tool.BEGIN}\nold\n{tool.END}\nafter\n"
    written = tool.with_claims(page, tool.claims_text(document))
    assert written.startswith("# Some\n")
    assert written.endswith(f"{tool.END}\nafter\n")
    assert "old" not in written
    assert "--quick --traces FOLDER" in written
    assert "/home/me" not in written
    assert "| a &lt; b \\| c | 1 | 2 | differs |" in written
