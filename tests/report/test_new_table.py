"""Tables of the terminal have one look, which stands in one place."""

from pathlib import Path

import loadmaster

SOURCE = Path(loadmaster.__file__).parent


def test_no_table_of_the_terminal_says_its_own_look():
    words = ("box.", "show_edge", "pad_edge", "title_justify")
    own = {
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        if "rich" in (text := path.read_text()) and any(word in text for word in words)
    }
    assert own == {"report/console.py"}
