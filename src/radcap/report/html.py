"""The shell of a page that is one file: nothing is fetched, and nothing runs but a script that is ours.

Invariant: the policy in the head allows inline style and images inside the file, the one script that the page
was made with, known by its hash, and no other source at all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.core import VERSION
from radcap.report.markup import Markup, element, joined, void

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.report.tables import Table

__all__ = [
    "POLICY",
    "facts_list",
    "figure",
    "page",
    "page_style",
    "scrolling",
    "section",
    "source_hash",
    "table_box",
]

_LINE = Markup("\n")
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"


def page(
    title: str,
    header: str,
    *sections: str,
    more_style: str = "",
    script: str = "",
    policy: str = POLICY,
) -> str:
    """A whole document. Plain strings are escaped; `Markup`, style and script are taken as they are.

    A page that is served and not saved may bring a `policy` of its own; the hash of its script is added.
    """
    head = [
        void("meta", charset="utf-8"),
        void("meta", http_equiv="Content-Security-Policy", content=f"{policy}{_script_policy(script)}"),
        void("meta", name="viewport", content="width=device-width, initial-scale=1"),
        void("meta", name="color-scheme", content="light dark"),
        void("meta", name="referrer", content="no-referrer"),
        void("meta", name="generator", content=f"radcap {VERSION}"),
        element("title", title),
        void("link", rel="icon", href="data:,"),  # or browsers ask for one
        element("style", page_style(more_style)),
    ]
    body = [
        element("a", "To the content", href="#content", class_="skip"),
        element("header", element("h1", title), header),
        element("main", *sections, id="content"),
        element("footer", element("p", f"Made by radcap {VERSION}.")),
        *([element("script", Markup(script))] if script else []),
    ]
    document = element(
        "html", element("head", joined(head, _LINE)), _LINE, element("body", joined(body, _LINE)), lang="en"
    )
    return f"<!DOCTYPE html>\n{document}\n"


def page_style(more: str = "") -> Markup:
    """The style of a page, letter by letter as `page` writes it."""
    from importlib.resources import files  # slow to load, and who prints a table has no page

    return Markup(files("radcap.report").joinpath("page.css").read_text("utf-8") + more)


def source_hash(text: str) -> str:
    """How a policy names a script or a style by what it holds, so that a browser takes nothing else."""
    from base64 import b64encode
    from hashlib import sha256

    return f"'sha256-{b64encode(sha256(text.encode('utf-8')).digest()).decode('ascii')}'"


def _script_policy(script: str) -> str:
    return f"; script-src {source_hash(script)}" if script else ""


def section(key: str, heading: str, *parts: str) -> Markup:
    """A part of the page with a heading and a place to link to."""
    return element("section", element("h2", heading, id=key), *parts, aria_labelledby=key)


def scrolling(label: str, *parts: str) -> Markup:
    """A box that scrolls by itself where the window is narrow, by keyboard too."""
    return element("div", *parts, class_="scroll", tabindex="0", role="region", aria_label=label)


def table_box(table: Table) -> Markup:
    """A table in its box."""
    return scrolling(table.title or ", ".join(table.columns), table.to_html())


def figure(wide: Markup, narrow: Markup, caption: str) -> Markup:
    """A chart in two forms, of which the width of the window shows one."""
    return element(
        "figure",
        element("div", wide, class_="wide"),
        element("div", narrow, class_="narrow"),
        element("figcaption", caption),
    )


def facts_list(facts: Sequence[tuple[str, str]]) -> Markup:
    """Names and values, one under the other or side by side."""
    rows = [element("div", element("dt", name), element("dd", value)) for name, value in facts]
    return element("dl", *rows, class_="facts") if rows else Markup("")
