import pytest

from loadmaster.report.page import Heading, Page, Text, write
from loadmaster.workbench.page_head import PageHead, head_of_page


def test_the_head_of_a_page_is_what_was_put_there(tmp_path):
    path = tmp_path / "p.html"
    write(path, Page("a < b & c", [Heading("h"), Text("t")], "of <i>three</i> jobs", "loadmaster reproduce shai2014"))
    assert head_of_page(path) == PageHead("reproduce shai2014", "a < b & c", "of <i>three</i> jobs")


@pytest.mark.parametrize(
    "text", [b"", b"\xff\xfe\x00", b"<title>", b"<p class=label>other program</p>", b"<!--" * 40_000]
)
def test_a_page_that_is_none_of_ours_has_no_verb(tmp_path, text):
    path = tmp_path / "p.html"
    path.write_bytes(text)
    assert head_of_page(path).verb == ""


def test_a_page_that_is_not_there_has_an_empty_head(tmp_path):
    assert head_of_page(tmp_path / "none.html") == PageHead()
