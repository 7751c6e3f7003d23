"""What is measured of one method on one model: faithfulness of its maps, and its sanity checks.

Invariant: figures are per statement with the image they are of, so that intervals resample images. Over
phantoms only shapes that are there and were named are explained, since only for those the truth is known.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from radcap.captioning.models.writer_model import WriterModel
from radcap.core import UsageError
from radcap.detection.models import Answers
from radcap.explanation.faithfulness.baselines import edge_map, noise_map, seed_of
from radcap.explanation.faithfulness.labels import label_test
from radcap.explanation.faithfulness.measuring import Level, Measuring, measure, with_truth
from radcap.explanation.faithfulness.perturbing import Audience, Voice
from radcap.explanation.faithfulness.pointing import points
from radcap.explanation.faithfulness.sensitivity import noisy_lens
from radcap.explanation.lenses.sighting import sighted
from radcap.explanation.lenses.writer_lens import WriterLens, hints_for
from radcap.explanation.mapping import MethodChoice, mapped
from radcap.explanation.methods import make_method
from radcap.explanation.phantoms import SHAPES
from radcap.explanation.sanity import sanity_of
from radcap.explanation.subjects import Path as Way
from radcap.explanation.subjects import Statement
from radcap.explanation.subjects.caption_subjects import Written
from radcap.explanation.subjects.opening import Photo, subject_of
from radcap.explanation.subjects.phrases import words_in
from radcap.explanation.subjects.picture import picture_of
from radcap.explanation.subjects.wanted import Wanted
from radcap.explanation.targets import Concept, Span
from radcap.explanation.values import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from radcap.captioning.models import Line
    from radcap.datasets import Dataset
    from radcap.explanation.phantoms import Phantoms
    from radcap.explanation.subjects.opening import AnyModel

__all__ = ["OTHERS", "Scene", "measured", "sane", "scenes", "twins"]

OTHERS = ("noise", "edges", "perfect boxes")  # maps that no model made
_CHUNK = 48
_SETTINGS = {True: Measuring(level=Level.FULL, steps=8, explanations=3), False: Measuring(steps=8)}
_MARGIN = 15 / 224  # of the picture's side: how far beside its box a peak may lie (Zhang and others, 2016)
_BY_SHAPE = {one.phrase: one.cui for one in SHAPES.values()}


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """An image with its statements; `truth` are the masks of those, where they are known."""

    image: str
    picture: NDArray[np.uint8]
    statements: tuple[Statement, ...]
    truth: tuple[NDArray[np.bool_] | None, ...]


def scenes(
    model: AnyModel, dataset: Dataset, known: Phantoms | None, most: int, statements: int = 3
) -> Iterator[Scene]:
    """Up to so many images of a dataset, with up to so many statements each."""
    answers, found = model.answers(dataset), 0
    place = {image: number for number, image in enumerate(dataset.ids)}
    for row, image in enumerate(answers.ids):
        photo = Photo.of(image, dataset.image(place[image]), row)
        told = _phantom(model, answers, photo, known) if known is not None else _real(model, answers, photo)
        if told and found < most:
            found += 1
            some = told[:statements]
            picture = picture_of(photo.data, photo.name)
            yield Scene(image, picture, tuple(one for one, _ in some), tuple(mask for _, mask in some))


def _real(model: AnyModel, answers: Any, photo: Photo) -> list[tuple[Statement, None]]:  # noqa: ANN401
    """Concepts, or the words that name them; those that have a place first."""
    kind = "concepts" if isinstance(answers, Answers) else "spans"
    told = subject_of(model, answers, photo, Wanted(frozenset({kind}))).statements
    own = [
        replace(one, paths=(Way(one.voices[0][0], one.target),)) for one in told if one.voices and one.target
    ]
    return [(one, None) for one in sorted(own, key=lambda one: not one.localisable)]


def _phantom(
    model: AnyModel,
    answers: Any,  # noqa: ANN401
    photo: Photo,
    known: Phantoms,
) -> list[tuple[Statement, NDArray[np.bool_] | None]]:
    masks = known.truth[photo.image]
    wanted = Wanted(frozenset({"concepts" if isinstance(answers, Answers) else "words"}))
    if not isinstance(answers, Answers):
        return _phrased(model, answers.lines[photo.row], photo, masks)
    told = subject_of(model, answers, photo, wanted).statements
    return [(one, masks[one.cui]) for one in told if one.cui in masks and one.paths]


def _phrased(
    model: AnyModel,
    line: Line,
    photo: Photo,
    masks: Mapping[str, NDArray[np.bool_]],
) -> list[tuple[Statement, NDArray[np.bool_] | None]]:
    """The words of a caption that name a shape which is there."""
    assert isinstance(model, WriterModel)  # noqa: S101 - the captioners of the study
    lens = _writer_lens(model, photo)
    written = Written(lens, line, model.names)
    found: list[tuple[Statement, NDArray[np.bool_] | None]] = []
    for phrase in words_in(line.caption):
        cui = _BY_SHAPE.get(phrase.text.casefold(), "")
        if cui in masks:
            span = written.span(phrase)
            way = (Way(lens, span),)
            told = Statement(f"word-{phrase.start}", Kind.WORD, phrase.text, way, span, ((lens, 1.0),), cui)
            found.append((told, masks[cui]))
    return found


def _writer_lens(model: WriterModel, photo: Photo) -> WriterLens:
    import torch

    seen = sighted(photo.data, photo.name, model.eyes.view, model.eyes.place.device)
    with torch.no_grad():
        told = hints_for(model, model.eyes.looker(seen.pixels).float())
    return WriterLens(model, told, seen.pixels, seen.frame)


def measured(method: str, scene: Scene, *, full: bool = True, seed: int = 0) -> list[dict[str, Any]]:
    """The figures of every map of an image."""
    started = time.perf_counter()
    maps = _maps(method, scene)
    seconds = time.perf_counter() - started
    kept = [number for number, one in enumerate(maps) if one is not None]
    rows: list[dict[str, Any]] = []
    for number in kept:  # one at a time, since statements may be of different networks
        told, values = scene.statements[number], maps[number]
        assert values is not None  # noqa: S101 - kept
        lens, target = told.voices[0][0], told.target
        assert target is not None  # noqa: S101 - a statement with a map has one
        audience = Audience((Voice(lens, (1.0,)),), (target,), chunk=_CHUNK)
        again = None if method in OTHERS else partial(_again, method, scene, number)
        found = measure(audience, scene.picture, [values], _SETTINGS[full], seed=seed, again=again)[0]
        assert found is not None  # noqa: S101 - every map is measured
        mask = scene.truth[number]
        found = found if mask is None else with_truth(found, values, mask)
        near = None if mask is None else bool(points(values, _grown(mask)))
        told_rows = {"image": scene.image, "label": told.label, "seconds": seconds / len(kept), "near": near}
        rows.append({**told_rows, **found.to_json(), "random_gain": _gain(found.to_json()["random"])})
    return rows


def _grown(mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The box of a mask with the usual margin of the pointing game."""
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    margin = round(_MARGIN * max(mask.shape))
    grown = np.zeros_like(mask)
    top, left = max(0, rows[0] - margin), max(0, columns[0] - margin)
    grown[top : rows[-1] + margin + 1, left : columns[-1] + margin + 1] = True
    return grown


def _gain(areas: Mapping[str, float]) -> float:
    return areas["insertion"] - areas["deletion"]


def _maps(method: str, scene: Scene) -> list[NDArray[np.float32] | None]:
    height, width = scene.picture.shape[:2]
    if method == "edges":
        return [edge_map(scene.picture)] * len(scene.statements)
    if method == "noise":
        return [noise_map(height, width, seed_of(scene.image, one.key)) for one in scene.statements]
    if method == "perfect boxes":
        return [None if one is None else one.astype(np.float32) for one in scene.truth]
    return [one.map for one in mapped(scene.statements, MethodChoice(method), height, width)]


def _again(method: str, scene: Scene, number: int, seed: int) -> Sequence[NDArray[Any]]:
    """The map of one statement under noise."""
    told = scene.statements[number]
    ways = tuple(replace(one, lens=noisy_lens(one.lens, seed)) for one in told.paths)
    height, width = scene.picture.shape[:2]
    found = mapped([replace(told, paths=ways)], MethodChoice(method), height, width)[0].map
    return [np.zeros((height, width), np.float32) if found is None else found]


def sane(method: str, some: Sequence[Scene]) -> dict[str, Any] | None:
    """Cascading weight randomisation, the mean over images."""
    found = []
    for number, scene in enumerate(some):
        lens = scene.statements[0].voices[0][0]
        targets = [one.target for one in scene.statements if one.target and one.voices[0][0] is lens]
        found.append(sanity_of(make_method(method), lens, targets, seed=number))
    likeness = np.array([one.likeness for one in found])
    return {"stages": list(found[0].stages), "likeness": likeness.tolist()} if found else None


def twins(method: str, some: Sequence[Scene], others: Mapping[str, Sequence[Statement]]) -> list[float]:
    """How alike the maps of a model and its twin are, an image each."""
    found: list[float] = []
    for scene in some:
        height, width = scene.picture.shape[:2]
        ours = [one.map for one in mapped(scene.statements, MethodChoice(method), height, width)]
        theirs = [one.map for one in mapped(others[scene.image], MethodChoice(method), height, width)]
        pairs = [(a, b) for a, b in zip(ours, theirs, strict=True) if a is not None and b is not None]
        if pairs:
            found.append(float(np.mean([label_test([a], [b]).likeness for a, b in pairs])))
    return found


def twin_statements(model: AnyModel, scene: Scene, photo: Photo) -> tuple[Statement, ...]:
    """The same statements, put to another model."""
    if isinstance(model, WriterModel):
        lens = _writer_lens(model, photo)
        return tuple(_respan(one, lens) for one in scene.statements)
    from radcap.explanation.subjects.concept_subjects import voices_of

    voices = voices_of(model, photo.data, photo.name)  # type: ignore[arg-type]
    return tuple(replace(one, paths=(Way(voices.lenses[0], Concept(one.cui)),)) for one in scene.statements)


def _respan(told: Statement, lens: WriterLens) -> Statement:
    """Both learnt their tokens from the same captions, and must read the span as the same words."""
    own, span = told.voices[0][0], told.target
    assert isinstance(own, WriterLens)  # noqa: S101 - twins are of one kind
    assert isinstance(span, Span)  # noqa: S101 - what a captioner is asked
    if own.model.scribe.tokenizer.decode(span.tokens) != lens.model.scribe.tokenizer.decode(span.tokens):
        raise UsageError(f"{told.label} cannot be put to the twin: its tokens are others.")
    return replace(told, paths=(Way(lens, span),))
