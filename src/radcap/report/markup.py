"""HTML and SVG put together from values, so that escaping cannot be forgotten.

Invariant: a plain string is escaped wherever it stands; only `Markup` goes through as it is, and only the
functions here make it. No control character, no mark that turns the direction of text, no half character
gets into a file: each is shown as JSON would write it.
>>> element("td", "a < b", class_="n")
'<td class="n">a &lt; b</td>'
"""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from radcap.core.signs import visible

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Markup", "element", "escaped", "joined", "visible", "void"]


class Markup(str):
    """Text that is markup already."""

    __slots__ = ()


def escaped(text: str) -> Markup:
    """The text as markup; markup stays what it is."""
    return text if isinstance(text, Markup) else Markup(html.escape(visible(text)))


def joined(parts: Iterable[str], between: str = "") -> Markup:
    """Parts in a row, each escaped unless it is markup."""
    return Markup(escaped(between).join(map(escaped, parts)))


def element(name: str, /, *children: str, **attributes: str | float | None) -> Markup:
    """An element with an end tag. `aria_label` means `aria-label`, `class_` is `class`, None is nothing."""
    return Markup(f"<{name}{_attributes(attributes)}>{joined(children)}</{name}>")


def void(name: str, /, **attributes: str | float | None) -> Markup:
    """An element that holds nothing, as HTML and XML both read it."""
    return Markup(f"<{name}{_attributes(attributes)} />")


def _attributes(attributes: dict[str, str | float | None]) -> str:
    return "".join(
        f' {name.rstrip("_").replace("_", "-")}="{escaped(_value(value))}"'
        for name, value in attributes.items()
        if value is not None
    )


def _value(value: str | float) -> str:
    """A length keeps two digits, a hundredth of a pixel."""
    return value if isinstance(value, str) else f"{round(value, 2) + 0.0:.10g}"
