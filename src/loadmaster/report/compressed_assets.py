"""Compressed parts of a page, unpacked by its own script: the chart library, and the charts' data."""

import gzip
from base64 import b64encode
from functools import cache
from importlib.resources import files


def compressed(text: str) -> str:
    """`text` compressed, in letters that may stand in an HTML page; the same text gives the same letters."""
    return b64encode(gzip.compress(text.encode(), 6, mtime=0)).decode()


@cache
def compressed_library() -> str:
    """Vega with Vega-Lite and Vega-Embed, one script, packed; it is kept in the package (`tools/vega.py`)."""
    return b64encode(_part("vega.js.gz")).decode()


@cache
def library() -> str:
    """The same script as it runs."""
    return gzip.decompress(_part("vega.js.gz")).decode()


@cache
def part(name: str) -> str:
    """A text that every page has."""
    return _part(name).decode()


def _part(name: str) -> bytes:
    return (files("loadmaster.report") / "page_parts" / name).read_bytes()
