import pytest

from loadmaster.workbench.token import FILE, Token, token_in


def test_the_token_is_kept_where_others_cannot_read_it(tmp_path):
    token = token_in(tmp_path / "own")
    assert token_in(tmp_path / "own") == token
    assert (tmp_path / "own").stat().st_mode & 0o077 == 0
    assert (tmp_path / "own" / FILE).stat().st_mode & 0o077 == 0


def test_a_token_that_others_could_read_or_put_there_is_replaced(tmp_path):
    token = token_in(tmp_path)
    (tmp_path / FILE).chmod(0o644)
    assert (second := token_in(tmp_path)) != token
    (tmp_path / "elsewhere").write_text("x" * 43)
    (tmp_path / FILE).unlink()
    (tmp_path / FILE).symlink_to(tmp_path / "elsewhere")
    assert token_in(tmp_path).text not in ("x" * 43, second.text)
    assert (tmp_path / "elsewhere").read_text() == "x" * 43


@pytest.mark.parametrize("text", ["", "short", "x" * 44, "ü" * 43])
def test_a_token_of_another_form_is_replaced(tmp_path, text):
    token_in(tmp_path)
    (tmp_path / FILE).write_text(text)
    assert token_in(tmp_path).text != text


def test_neither_the_cookie_nor_the_word_on_pages_opens_the_workbench():
    token = Token("x" * 43)
    assert not token.opens(token.cookie)
    assert not token.opens(token.csrf)
    assert not token.opens("\udcff")
