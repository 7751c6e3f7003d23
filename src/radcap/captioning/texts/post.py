"""The end of writing: a caption that can be handed in, whatever a decoder wrote.

Invariant: `finished` is idempotent. Its result is one line that starts with no junk, has at most the words
that are allowed, repeats no word or clause at once, ends with a whole word and a full stop, and passes the
strictest check of run files. Words are only ever taken away, but for names of a modality, where one is asked
for: another takes their place, and has no more words.
>>> finished("figure 1. CT of the the chest, with a", PostSettings())
'CT of the chest.'
"""

from __future__ import annotations

import re
from functools import lru_cache

from radcap.captioning.settings import PostSettings
from radcap.captioning.texts.cleaning import cleaned
from radcap.captioning.texts.cutting import cut_to_words
from radcap.captioning.texts.modality_names import one_name
from radcap.captioning.texts.repetition import without_repeats

__all__ = ["finished"]

_READ = 1000  # words; what follows is never a caption
_MOST = 512  # words that every metric reads
_GREEK = "\u0370"  # where Greek begins, after the Latin letters
_LAST = "Radiology image"  # where not even the fallback has a letter
_JUNK = re.compile(
    r"""(?: [\s.,;:!?*\u2022\u00b7|/\\_\#>\u2013\u2014-]+  # bullets and punctuation
    | (?:supplementary\s)? (?:fig|figs|figure|figures|image|panel|plate|photo)\b\.?
      \s?\d+\s?(?:[a-z]\b)? (?:\s?[-\u2013,&]\s?(?:[a-z]|\d+)\b)*  # Figure 1, Fig. 2A-C
      (?:\s?[.:)|\u2013\u2014-]+ | \s(?=(?-i:[A-Z(\[])) | $)  # and no verb after it
    | \(?(?:[a-h]|[ivx]{1,4}|\d{1,2})(?:\s?[-\u2013,&]\s?(?:[a-h]|\d{1,2}))*\)  # (a), (A, B), 1)
    | \d{1,2}\.(?=\s)
    | (?:caption|legend|description|title|answer|output|assistant)\s?:
    )\s*""",
    re.IGNORECASE | re.VERBOSE,
)
_TAIL = re.compile(r"[\s.,;:|/\\_&+=<>(\[{\u2013\u2014-]+$")
_ENDED = re.compile(r"[.!?][\"')\]]*$")
_WAITING = """
    a an the and or nor but with without of in on at by for from to into onto as than that which who whose
    where when while whereas between among through during over under near along via per is are was were been
    being has have had can may no not its his her their this these those both either such due showing shows
    showed show demonstrating demonstrates revealing reveals indicating indicates including suggesting
    consistent
"""
_DANGLING = frozenset(_WAITING.split())


def finished(text: str, settings: PostSettings) -> str:
    """The caption to hand in; the fallback where nothing is left."""
    most = min(settings.words, _MOST)
    body = _body(text, settings) or _body(settings.fallback, settings) or cut_to_words(_LAST, most)
    return _capital(body) + ("" if _ENDED.search(body) else ".")


def _body(text: str, settings: PostSettings) -> str:
    """What is worth saying, without its full stop. Each step may give another one work; none adds a word."""
    body, before = " ".join(cleaned(text).split(" ")[:_READ]), None
    while body != before:
        before = body
        body = _without_prefix(_without_junk(body), settings.prefixes)
        body = one_name(body) if settings.modality else body
        body = cut_to_words(without_repeats(body), min(settings.words, _MOST))
        body = _without_dangling(body)
    return body if any(map(str.isalpha, body)) else ""


def _without_prefix(text: str, prefixes: tuple[str, ...]) -> str:
    """The text less a beginning that is not wanted, in any letters; a part of a word is none."""
    found = _begun(prefixes).match(text) if prefixes else None
    return text[found.end() :].lstrip() if found else text


@lru_cache(maxsize=16)
def _begun(prefixes: tuple[str, ...]) -> re.Pattern[str]:
    """What ends a prefix is taken away as junk, and is no part of it: so a full stop makes no difference."""
    longest_first = sorted((_TAIL.sub("", cleaned(one)) for one in prefixes), key=len, reverse=True)
    return re.compile(rf"(?:{'|'.join(re.escape(one) for one in longest_first)})(?!\w)", re.IGNORECASE)


def _without_junk(text: str) -> str:
    """The text less numbers of figures, bullets, and quotes that hold all of it."""
    while found := _JUNK.match(text):
        text = text[found.end() :]
    marks = text.count('"')
    if text.startswith('"') and (marks == 1 or (marks == 2 and text.endswith('"'))):  # noqa: PLR2004 - a pair
        return text.strip('"').strip()
    return text


def _without_dangling(text: str) -> str:
    """The text less what stands at its end and waits for more."""
    text = _TAIL.sub("", _without_open_bracket(text))
    while (last := text.rpartition(" ")[2]) in _DANGLING:
        text = _TAIL.sub("", text.removesuffix(last))
    return text


def _without_open_bracket(text: str) -> str:
    """The text up to a bracket that never closes; one in front goes alone."""
    for opening, closing in ("()", "[]"):
        place = text.rfind(opening)
        if place >= 0 and closing not in text[place:]:
            text = text[:place] if place else text[1:]
    return text


def _capital(text: str) -> str:
    """A capital first letter, where that is the same letter, and Latin: a Greek one is a unit or a name."""
    first = text[0].upper()
    return first + text[1:] if first.lower() == text[0] < _GREEK else text
