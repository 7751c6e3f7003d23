"""Pages that may hold text of strangers: what such text looks like, and what a page must never hold."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser

__all__ = ["HOSTILE", "WATCH", "Tags", "safe"]

HOSTILE = (
    "</script><img src=x onerror=alert(1)>",
    "\" onload='x' & <b> </style><script>",
    "\u202eevil\u202c \u200f right to left",
    "steers \x1b[31m \x07 \x85 a terminal",
)
# Run by a browser before a page: what the page's own policy forbids is then said aloud.
WATCH = "addEventListener('securitypolicyviolation', (event) => console.error('policy', event.blockedURI))"


class Tags(HTMLParser):
    """The tags of a page with their attributes, each of which stands once."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len(dict(attrs)) == len(attrs)
        self.tags.append((tag, dict(attrs)))

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


def safe(text: str) -> Tags:
    """Well formed, nothing fetched, nothing that runs, no sign that steers."""
    text.encode("utf-8")
    assert re.findall(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]", text) == []
    ET.fromstring(text.removeprefix("<!DOCTYPE html>"))  # noqa: S314, made by the code under test
    found = Tags(text)
    assert {tag for tag, _ in found.tags} & {"script", "iframe", "object", "base", "form"} == set()
    for _, attributes in found.tags:
        assert not any(name.startswith("on") or name == "style" for name in attributes)
        for name in {"src", "href"} & set(attributes):
            assert (attributes[name] or "").startswith(("data:", "#"))
    return found
