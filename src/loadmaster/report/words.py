"""Text as a page shows it: a number stays on one line with its unit, and names in backticks are code.

An option of the command line is not broken after its hyphens.
"""

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markupsafe import Markup


def unbroken(text: str) -> str:
    """`text` with every number kept on one line with its unit."""
    return re.sub(r"(\d) (?=\S{1,3}(?:[\s,.;)]|$))", "\\1\N{NO-BREAK SPACE}", text)


def as_words(text: str) -> "Markup":
    """`text` in HTML, escaped.

    Example:
        >>> as_words("1 < 2, says `compare`").replace("\N{NO-BREAK SPACE}", " ")
        Markup('1 &lt; 2, says <code>compare</code>')
    """
    from markupsafe import Markup, escape

    escaped = str(escape(unbroken(text)))
    whole = re.sub(r"(?<![\w-])(--[a-z][\w-]*)", r'<span class="option">\1</span>', escaped)
    return Markup(re.sub(r"`([^`\n]+)`", r"<code>\1</code>", whole))
