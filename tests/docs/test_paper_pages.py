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
    assert {page.stem.removeprefix("papers-") for page in PAGES} == set(PAPERS)
    for page in PAGES:
        assert f"`loadmaster reproduce {page.stem.removeprefix('papers-')}`" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "page",
    [p for p in PAGES if p.stem not in ("papers-shai2014", "papers-matrix")],
    ids=lambda page: page.stem,
)
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


def test_the_page_of_the_matrix_has_a_line_for_each_rule_and_set(tool, tmp_path):
    from loadmaster.papers.matrix.study import MEASURES, META, PACKERS, PLACEMENT

    page = (ROOT / "docs" / "reference" / "papers-matrix.md").read_text(encoding="utf-8")
    rows = page.partition(tool.TABLE_BEGIN)[2].partition(tool.TABLE_END)[0].strip().splitlines()
    static, stream = [*PACKERS, *PLACEMENT], [*PLACEMENT, *META]
    assert [tuple(row.split(" | ")[:2]) for row in rows[2:]] == [
        (f"| {rule}", name) for rules, name in ((static, "static set"), (stream, "stream")) for rule in rules
    ]
    heads = ",".join(("rule", "paper", "set", "runs", *MEASURES))
    (tmp_path / "matrix.csv").write_text(f"{heads}\nmcb8,Casanova 2008,static set,60,0.5,0.25,,3,,,,,,0\n")
    cells = ["mcb8", "static set", "Casanova 2008", "50.0 %", "0.2500", "-", "3.0", *"-----", "0"]
    assert tool.table_text(tmp_path / "matrix.csv").splitlines()[2] == "| " + " | ".join(cells) + " |"
