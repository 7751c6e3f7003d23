"""What a captioner said of an image: the words of its caption, and what they rest on.

Invariant: a word rests on the image itself and on the concepts that were told beside it; how much on each is
measured by withholding them one at a time. A word that hardly needs either has no map: language made it.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

import torch

from radcap.captioning.hints import Hints
from radcap.explanation.subjects.concept_subjects import contrast_statement, localisable
from radcap.explanation.subjects.phrases import concepts_in, token_ends, token_range, words_in
from radcap.explanation.subjects.subject import Path, Statement
from radcap.explanation.subjects.wanted import concept_named
from radcap.explanation.targets import Concept, Contrast, Span
from radcap.explanation.values import Kind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from radcap.captioning.models import Line
    from radcap.core import Cui
    from radcap.explanation.lenses.written_words import CaptionLens
    from radcap.explanation.subjects.concept_subjects import ConceptVoices
    from radcap.explanation.subjects.phrases import Phrase
    from radcap.explanation.subjects.wanted import Wanted

__all__ = ["Written", "caption_statements", "plain_statements", "wanted_phrases"]

_LEAST = 0.05  # nats: what a span must lose without image and concepts to be said to rest on them
_SMALL = 0.05  # a smaller share is not told
_LANGUAGE = "The words before it make this word: without the image it is as probable, so it has no place."
_PLAIN = "The caption is the plain sentence of what the detector decided for, and this word is its frame."


@dataclass(frozen=True, slots=True, eq=False)
class Written:
    """A caption before its writer; `detector` names the concepts that are told, where there is one."""

    lens: CaptionLens
    line: Line
    names: Mapping[Cui, str]
    detector: ConceptVoices | None = None

    @property
    def tokens(self) -> tuple[int, ...]:
        return tuple(self.lens.model.scribe.tokenizer.encode(self.line.caption))

    def span(self, phrase: Phrase, tokens: tuple[int, ...] | None = None) -> Span:
        held = self.tokens if tokens is None else tokens
        ends = token_ends(self.lens.model.scribe.tokenizer, held)
        return Span(held, *token_range(ends, phrase.start, phrase.end))


def wanted_phrases(
    caption: str, line: Line, names: Mapping[Cui, str], wanted: Wanted
) -> list[tuple[Kind, Phrase]]:
    """The parts of a caption that are wanted: spans of concepts, then the words that are no span alone."""
    said = {cui: names.get(cui, "") for cui in line.concepts}
    spans, words = concepts_in(caption, said, names), words_in(caption)
    alone = {(one.start, one.end) for one in spans}
    found = [(Kind.SPAN, one) for one in spans if wanted.group("spans") or _is_named(one, wanted, names)]
    asked = {one.casefold() for one in wanted.words(names)}
    return found + [
        (Kind.WORD, one)
        for one in words
        if (wanted.group("words") and (one.start, one.end) not in alone) or one.text.casefold() in asked
    ]


def _is_named(phrase: Phrase, wanted: Wanted, names: Mapping[Cui, str]) -> bool:
    asked = {one.casefold() for one in wanted.words(names)}
    return phrase.cui in wanted.cuis(names) or phrase.text.casefold() in asked


def caption_statements(written: Written, wanted: Wanted, features: torch.Tensor) -> tuple[Statement, ...]:
    """The words of a caption that a writer wrote, over the features it saw."""
    asked = wanted_phrases(written.line.caption, written.line, written.names, wanted)
    spans = [written.span(phrase) for _, phrase in asked]
    effects = _effects(written.lens, features, spans)
    found = [
        _statement(written, kind, phrase, span, effect)
        for (kind, phrase), span, effect in zip(asked, spans, effects, strict=True)
    ]
    pairs = [_contrast(written, *pair, number) for number, pair in enumerate(wanted.contrasts, 1)]
    return (*found, *(one for one in pairs if one is not None))


@dataclass(frozen=True, slots=True)
class _Effect:
    """What a span loses, in nats, without the image, without each told concept, and how probable it is."""

    image: float
    told: Mapping[int, float]  # by label
    chance: float


@torch.no_grad()
def _effects(lens: CaptionLens, features: torch.Tensor, spans: Sequence[Span]) -> list[_Effect]:
    if not spans:
        return []
    whole = lens.scores(features, spans)[0]
    image = whole - lens.spans(None, lens.told, spans)[0]
    told = _told(lens.told)
    fewer = [whole - lens.spans(features, lens.without(place), spans)[0] for place in told]
    return [
        _Effect(
            max(0.0, float(image[number])),
            {label: max(0.0, float(one[number])) for label, one in zip(told.values(), fewer, strict=True)},
            float(whole[number].div(span.last - span.first).exp()),
        )
        for number, span in enumerate(spans)
    ]


def _told(hints: Hints) -> dict[int, int]:
    """The labels that are told, by their place in the row."""
    if hints.concepts is None:
        return {}
    row = cast("list[int]", hints.concepts[0].tolist())
    return {place: label for place, label in enumerate(row) if label >= 0}


def _statement(written: Written, kind: Kind, phrase: Phrase, span: Span, effect: _Effect) -> Statement:
    able, note = localisable(phrase.cui, written.names.get(phrase.cui, "")) if phrase.cui else (True, "")
    paths = _paths(written, span, effect)
    return Statement(
        key=f"{kind.value}-{phrase.start}",
        kind=kind,
        label=phrase.text,
        paths=paths,
        target=span,
        voices=((written.lens, 1.0),) if paths else (),
        cui=phrase.cui,
        probability=effect.chance,
        place=(phrase.start, phrase.end),
        localisable=able,
        note=note if paths else _LANGUAGE,
    )


def _paths(written: Written, span: Span, effect: _Effect) -> tuple[Path, ...]:
    """By what is lost without each: the image, and told concepts as their detector sees them."""
    parts = [(Path(written.lens, span), effect.image)]
    if written.detector is not None:
        labels = tuple(written.names)
        for label, lost in effect.told.items():
            cui = labels[label]
            for path in written.detector.paths(Concept(cui), cui):
                name = f"the concept {written.names[cui] or cui}, which was told"
                parts.append((replace(path, name=name), lost * path.share))
    whole = sum(lost for _, lost in parts)
    if whole < _LEAST:
        return ()
    kept = [(path, lost / whole) for path, lost in parts if lost / whole >= _SMALL]
    told = sum(share for _, share in kept)
    return tuple(replace(path, share=share / told) for path, share in kept)


def _contrast(written: Written, this: str, other: str, number: int) -> Statement | None:
    """Why a word and not another in its place; nothing where the caption does not say it."""
    caption = written.line.caption
    phrase = next((one for one in words_in(caption) if one.text.casefold() == this.casefold()), None)
    if phrase is None:
        return None
    changed = caption[: phrase.start] + other + caption[phrase.end :]
    tokens = tuple(written.lens.model.scribe.tokenizer.encode(changed))
    instead = replace(phrase, end=phrase.start + len(other), text=other)
    target = Contrast(written.span(phrase), written.span(instead, tokens))
    return Statement(
        key=f"contrast-{number}",
        kind=Kind.CONTRAST,
        label=f"{phrase.text} rather than {other}",
        paths=(Path(written.lens, target),),
        target=target,
        voices=((written.lens, 1.0),),
        place=(phrase.start, phrase.end),
        note="Above zero speaks for the first, below zero for the second.",
    )


def plain_statements(line: Line, detector: ConceptVoices, wanted: Wanted) -> tuple[Statement, ...]:
    """The words of a caption that a grammar made of what a detector decided for."""
    asked = wanted_phrases(line.caption, line, detector.labels, wanted)
    found = [_plain(line, detector, kind, phrase) for kind, phrase in asked]
    pairs = [one for one in wanted.contrasts if all(concept_named(name, detector.labels) for name in one)]
    return (*found, *(contrast_statement(detector, *pair) for pair in pairs))


def _plain(line: Line, detector: ConceptVoices, kind: Kind, phrase: Phrase) -> Statement:
    name = detector.labels.get(phrase.cui, "")
    able, note = localisable(phrase.cui, name) if phrase.cui else (False, _PLAIN)
    target = Concept(phrase.cui)
    paths = detector.paths(target, phrase.cui) if phrase.cui else ()
    return Statement(
        key=f"{kind.value}-{phrase.start}",
        kind=kind,
        label=phrase.text,
        paths=tuple(replace(one, name=f"the concept {name or phrase.cui}") for one in paths),
        target=target if paths else None,
        voices=tuple((one.lens, one.share) for one in paths),
        cui=phrase.cui,
        probability=line.concepts.get(phrase.cui),
        place=(phrase.start, phrase.end),
        localisable=able,
        note=note,
    )
