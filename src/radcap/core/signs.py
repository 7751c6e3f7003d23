r"""Text of strangers made safe to show: one line, and no sign without a picture of its own.

Invariant: no control character, no mark that turns the direction of text and no half character is left.
>>> visible("a\tb\x1b[31m\u202e")
'a b\\u001b[31m\\u202e'
"""

from __future__ import annotations

__all__ = ["visible"]


def visible(text: str) -> str:
    r"""The text on one line, `\uXXXX` for what has no picture of its own."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else _shown(char) for char in text)


def _shown(char: str) -> str:
    if char.isspace() and not "\x1c" <= char <= "\x1f":  # Python counts four separators of files as blanks
        return " "
    units = char.encode("utf-16-be", "surrogatepass").hex(" ", 2)
    return "".join(f"\\u{unit}" for unit in units.split())
