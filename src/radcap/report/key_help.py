"""The keys of a page, told in a dialog.

Invariant: keys of one letter can be switched off, for those who speak to their computer (WCAG 2.1.4). The
script of the page opens the dialog by its id `help`, closes it by `data-help`, and asks the box `keys`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.report.markup import Markup, element, void

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["help_dialog", "help_style"]


def help_dialog(keys: Iterable[tuple[str, str]]) -> Markup:
    """The keys, each with what it does, and the switch."""
    rows = [element("div", element("dt", element("kbd", key)), element("dd", told)) for key, told in keys]
    switch = element(
        "label", void("input", type="checkbox", id="keys", checked="checked"), " Keys of one letter work"
    )
    return element(
        "dialog",
        element("h2", "Keys", id="help-title"),
        element("dl", *rows, class_="keys"),
        element("p", switch),
        element("button", "Close", type="button", data_help="close"),
        id="help",
        aria_labelledby="help-title",
    )


def help_style() -> str:
    """How the dialog looks, for the style of a page."""
    from importlib.resources import files  # slow to load, and who prints a table has no page

    return files("radcap.report").joinpath("key_help.css").read_text("utf-8")
