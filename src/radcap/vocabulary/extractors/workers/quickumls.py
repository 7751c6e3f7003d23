"""QuickUMLS, the original or medspacy's, with a folder that `quickumls.install` made.

Invariant: nothing is downloaded. Where the spaCy model or the stop words that QuickUMLS asks for are not
installed, a blank pipeline and the stop words of the options stand in, and the notes say so.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

_PACKAGES = ("quickumls", "medspacy-quickumls")  # both are imported as `quickumls`


def absent(options: dict[str, Any]) -> list[str]:  # noqa: ARG001 - every tool is asked with its options
    """What is not installed."""
    return [name for name in ("quickumls", "spacy", "nltk") if find_spec(name) is None]


def open_tool(options: dict[str, Any]) -> Tool:
    notes: list[str] = []
    _stand_in_for_models(notes)
    _stand_in_for_stop_words(options["stop_words"], notes)
    matcher = import_module("quickumls").QuickUMLS(
        options["data"],
        overlapping_criteria=options["overlapping"],
        threshold=options["threshold"],
        window=options["window"],
        similarity_name=options["similarity"],
        min_match_length=options["min_length"],
        accepted_semtypes=None if options["types"] is None else set(options["types"]),
    )
    matcher.nlp.max_length = 1 << 62  # the limit guards the parser, which is not asked for anything here
    return Tool(matcher, notes)


def _stand_in_for_models(notes: list[str]) -> None:
    spacy: Any = import_module("spacy")
    load = spacy.load

    def load_or_blank(name: str, *given: Any, **more: Any) -> Any:
        try:
            return load(name, *given, **more)
        except OSError:
            notes.append(
                f"The spaCy model {name} is not installed: words are parted by a blank pipeline, and "
                "QuickUMLS's rules about prepositions, articles and conjunctions do not apply."
            )
            return spacy.blank(name[:2].lower())

    spacy.load = load_or_blank


def _stand_in_for_stop_words(stop_words: list[str], notes: list[str]) -> None:
    corpus: Any = import_module("nltk").corpus
    try:
        corpus.stopwords.words("english")
    except LookupError:
        notes.append("The stop words of NLTK are not installed: radcap's list of English ones is used.")
        corpus.stopwords = _StopWords(stop_words)


class _StopWords:
    """What QuickUMLS asks NLTK for."""

    def __init__(self, english: list[str]) -> None:
        self._english = english

    def words(self, language: str = "english") -> list[str]:
        return self._english if language == "english" else []


class Tool:
    """An opened folder."""

    def __init__(self, matcher: Any, notes: list[str]) -> None:
        self._matcher = matcher
        self.about: dict[str, Any] = {**_package(), "notes": notes}

    def entities(self, texts: list[str]) -> list[list[dict[str, Any]]]:
        return [[_entity(group) for group in self._matcher.match(text)] for text in texts]


def _package() -> dict[str, str]:
    """Which of the packages is installed; they do not find quite the same."""
    metadata = import_module("importlib.metadata")
    for package in _PACKAGES:
        try:
            return {"name": package, "version": metadata.version(package)}
        except metadata.PackageNotFoundError:
            pass
    return {"name": "QuickUMLS", "version": ""}


def _entity(group: list[dict[str, Any]]) -> dict[str, Any]:
    """The first concept of a span, which is QuickUMLS's choice, and what else the span could be."""
    best = group[0]
    return {
        "start": int(best["start"]),
        "end": int(best["end"]),
        "id": str(best["cui"]),
        "name": str(best["term"]),
        "types": sorted(map(str, best["semtypes"])),
        "score": float(best["similarity"]),
        "others": [str(one["cui"]) for one in group[1:]],
    }
