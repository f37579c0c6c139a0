"""Text as a page shows it."""

from loadmaster.report.words import as_words, unbroken


def test_a_number_stays_on_one_line_with_its_unit():
    assert unbroken("30 s of launch, 64 %.") == "30\N{NO-BREAK SPACE}s of launch, 64\N{NO-BREAK SPACE}%."


def test_a_name_in_backticks_is_code_and_all_else_is_escaped():
    assert as_words("`<b>` is <i>") == "<code>&lt;b&gt;</code> is &lt;i&gt;"


def test_an_option_is_not_broken_after_its_hyphens():
    assert as_words("(--hosts).") == '(<span class="option">--hosts</span>).'
    assert as_words("a--b -- `--site FILE`") == 'a--b -- <code><span class="option">--site</span> FILE</code>'
