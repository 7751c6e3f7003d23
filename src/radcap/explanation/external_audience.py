"""Whom the boxes of another model are put to: the captioner that wrote the words they are drawn for.

Invariant: boxes are judged by the model whose caption they claim to explain, by the tests of its own maps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.explanation.lenses.written_words import CaptionLens
from radcap.explanation.subjects import Statement
from radcap.explanation.subjects.phrases import token_ends, token_range
from radcap.explanation.targets import Span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.explanation.subjects import Subject
    from radcap.explanation.values import Evidence

__all__ = ["with_audience"]


def with_audience(evidence: Sequence[Evidence], subject: Subject) -> tuple[Statement, ...]:
    """A statement for each evidence, with the words of the caption it is about as its target."""
    lens = _writer(subject)
    return tuple(_statement(one, subject, lens) for one in evidence)


def _writer(subject: Subject) -> CaptionLens | None:
    lenses = (lens for one in subject.statements for lens, _ in one.voices)
    return next((lens for lens in lenses if isinstance(lens, CaptionLens)), None)


def _statement(evidence: Evidence, subject: Subject, lens: CaptionLens | None) -> Statement:
    if lens is None or evidence.place is None:
        return _same_words(evidence, subject)
    tokenizer = lens.model.scribe.tokenizer
    tokens = tuple(tokenizer.encode(subject.caption))
    span = Span(tokens, *token_range(token_ends(tokenizer, tokens), *evidence.place))
    return Statement(evidence.key, evidence.kind, evidence.label, target=span, voices=((lens, 1.0),))


def _same_words(evidence: Evidence, subject: Subject) -> Statement:
    """The captioner's own statement about the same words; without one nobody can judge."""
    own = next((one for one in subject.statements if one.place == evidence.place and one.voices), None)
    target, voices = (None, ()) if own is None else (own.target, own.voices)
    return Statement(evidence.key, evidence.kind, evidence.label, target=target, voices=voices)
