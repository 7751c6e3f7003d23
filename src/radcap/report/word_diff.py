"""A predicted caption beside the true one, word by word.

Invariant: capitals and the signs around a word make no difference to what is called the same, yet every word
is shown as it was written. Shared words are underlined, missing ones stand in a line of their own, and those
who hear the page are told which words were added; nothing is told by colour alone.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from radcap.report.markup import Markup, element, joined
from radcap.report.names import counted

__all__ = ["caption", "word_diff"]

_MOST = 200  # words that are compared and shown; the cost grows with their square
_SIGNS = re.compile(r"^\W+|\W+$")


def caption(text: str) -> Markup:
    """A caption as it stands, cut where it is endless."""
    words = text.split()
    return joined([" ".join(words[:_MOST]) or _nothing(), _rest(words)])


def word_diff(prediction: str, truth: str) -> Markup:
    """The prediction with the words it shares with the truth marked; below it the words it lacks."""
    given, wanted = prediction.split(), truth.split()
    shown, lacking = _pieces(given[:_MOST], wanted[:_MOST])
    words = element("p", joined(shown, " ") or _nothing(), _rest(given))
    if not lacking:
        return words
    return joined([words, element("p", "missing: ", joined(lacking, " \u00b7 "), class_="missing")])


def _pieces(given: list[str], wanted: list[str]) -> tuple[list[Markup], list[Markup]]:
    """The words of the prediction, and those of the truth that it lacks."""
    matcher = SequenceMatcher(None, [*map(_key, wanted)], [*map(_key, given)], autojunk=False)
    shown: list[Markup] = []
    lacking: list[Markup] = []
    for kind, i1, i2, j1, j2 in matcher.get_opcodes():
        if kind == "equal":
            shown.append(element("mark", " ".join(given[j1:j2])))
            continue
        if i1 < i2:
            lacking.append(element("del", " ".join(wanted[i1:i2])))
        if j1 < j2:
            said = element("span", "(added) ", class_="said")
            shown.append(element("ins", said, " ".join(given[j1:j2])))
    return shown, lacking


def _key(word: str) -> str:
    return _SIGNS.sub("", word).casefold() or word


def _nothing() -> Markup:
    return element("em", "empty")


def _rest(words: list[str]) -> str:
    more = len(words) - _MOST
    return element("em", f" and {counted(more, 'more word')}") if more > 0 else ""
