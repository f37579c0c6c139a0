"""What a page's own script unpacks: its charts, as they are handed to the library."""

import gzip
import json
import re
from base64 import b64decode
from html import unescape
from html.parser import HTMLParser


def charts_of(text):
    """The specifications of the charts on a page, in order."""
    return json.loads(unpacked(re.search(r'id="specs">(.*?)</script>', text, re.DOTALL)[1]))


def unpacked(letters):
    return gzip.decompress(b64decode(letters, validate=True)).decode()


def headings_of(text):
    """The titles of the sections of a page, in order."""
    return [unescape(title) for title in re.findall(r"<h2[^>]*>(.*?)</h2>", text)]


def elements_of(text):
    """The names of the elements of a page, in order, as a browser would see them."""
    found = []
    parser = HTMLParser()
    parser.handle_starttag = lambda name, _: found.append(name)
    parser.feed(text)
    return found
