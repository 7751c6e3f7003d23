"""Images that were not read, and why.

Invariant: every one is counted; those beyond the most that are listed are told to be in a file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.report.html import section
from radcap.report.markup import Markup, element
from radcap.report.names import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.reading.values import Unread

__all__ = ["unread_list"]


def unread_list(unread: Sequence[Unread], *, most: int | None = None, whole: str = "") -> Markup:
    """Names and reasons; nothing where there are none. Those beyond `most` are in the file `whole`."""
    if not unread:
        return Markup("")
    rows = [_row(one.image, one.why) for one in unread[:most]]
    beyond = len(unread) - len(rows)
    more = [element("p", f"{beyond:,} more are in {whole}.")] if beyond else []
    return section(
        "not-read", f"Not read: {counted(len(unread))}", element("ul", *rows, class_="unread"), *more
    )


def _row(image: str, why: str) -> Markup:
    """The name once: most reasons begin with it."""
    if not why.startswith(image):
        return element("li", element("code", image), ": ", why)
    return element("li", element("code", image), why.removeprefix(image))
