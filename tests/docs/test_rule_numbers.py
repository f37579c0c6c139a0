"""Every rule that code, tests and pages cite by number stands on a page of docs/rules."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "docs" / "rules").glob("*.md"))
CITED = re.compile(r"\brules? ([A-Z]\d+(?:(?:, | and | to )[A-Z]\d+)*)")
READ = ("src", "tests", "docs", "benchmarks", "tools")


def written():
    """(path, text) of all code and pages of the project."""
    for folder in READ:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".py", ".md") and "_build" not in path.parts and "generated" not in path.parts:
                yield path, path.read_text()
    for path in sorted(ROOT.glob("*.md")):
        yield path, path.read_text()


def rules():
    return [label for page in PAGES for label in re.findall(r"^## ([A-Z]\d+)\. ", page.read_text(), re.MULTILINE)]


def cited_in(text):
    for match in CITED.finditer(" ".join(text.split())):
        yield from re.findall(r"[A-Z]\d+", match[1])


def test_a_rule_number_is_given_once():
    assert len(rules()) == len(set(rules())) > 70


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_rule_has_an_anchor_of_its_number(page):
    anchored = re.findall(r"^\((\w+)\)=\n## \1\. ", page.read_text(), re.MULTILINE)
    assert anchored == re.findall(r"^## ([A-Z]\d+)", page.read_text(), re.MULTILINE)


def test_every_rule_cited_stands_on_a_page():
    known = set(rules())
    missing = {
        f"{path.relative_to(ROOT)}: {number}"
        for path, text in written()
        for number in cited_in(text)
        if number not in known
    }
    assert not missing


def test_rules_are_cited_where_they_are_carried_out():
    cited = {number for path, text in written() if "src" in path.parts for number in cited_in(text)}
    assert len(cited) > 25


def test_no_file_cites_a_page_that_nobody_has():
    word = re.compile(r"\b" + "SP" + "EC" + r"\b")
    assert [str(path.relative_to(ROOT)) for path, text in written() if word.search(text)] == []
