"""What captioners said of an image: words, what they rest on, and captions that nobody wrote."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch
from explain_model_samples import (
    CAPTION,
    CHEST,
    CPU,
    EFFUSION,
    NAMES,
    PNEUMONIA,
    SIZE,
    WRITERS,
    XRAY,
    backbone,
    detector,
    index,
    language_writer,
    some_images,
    tokenizer,
    writer,
)

from radcap.captioning.hints import NONE, Hints
from radcap.captioning.models import CaptionAnswers, Draft, Line
from radcap.captioning.models.eyes import Eyes
from radcap.captioning.models.plain_models import NearestModel, TemplateModel, WordsModel
from radcap.captioning.models.recall import Recall
from radcap.captioning.settings import PostSettings
from radcap.core import UsageError
from radcap.explanation.lenses.neighbour_lens import NeighbourLens
from radcap.explanation.lenses.network_lens import NetworkLens
from radcap.explanation.lenses.writer_lens import WriterLens
from radcap.explanation.mapping import MethodChoice, mapped
from radcap.explanation.subjects.opening import Photo, check_explainable, labels_of, subject_of
from radcap.explanation.subjects.wanted import wanted_from
from radcap.explanation.targets import Concept, Contrast, Neighbour, Span
from radcap.explanation.values import Kind
from radcap.vision.heads import make_head
from radcap.vision.pictures import View
from radcap.vision.settings import HeadSettings, ImageSettings

if TYPE_CHECKING:
    from collections.abc import Mapping

KEYS = re.compile(r"[A-Za-z0-9-]+")
LEANING = ("transformer", "prefix", "lstm")
TOLD = {PNEUMONIA: 0.8, XRAY: 0.9}


def photo(place: int = 0) -> Photo:
    data = some_images()
    return Photo.of(data.ids[place], data.image(place), place)


def said(caption: str = CAPTION, by: str = "greedy", concepts: Mapping[str, float] = TOLD) -> CaptionAnswers:
    return CaptionAnswers((Line(photo().image, caption, by, concepts=concepts),), "")


def asked(model: Any, *texts: str, answers: CaptionAnswers | None = None) -> Any:
    return subject_of(model, answers or said(), photo(), wanted_from(texts))


def by_key(subject: Any) -> dict[str, Any]:
    found = {one.key: one for one in subject.statements}
    assert len(found) == len(subject.statements)
    assert all(KEYS.fullmatch(key) for key in found)
    return found


@pytest.mark.parametrize("kind", [*WRITERS, "lm"])
def test_what_a_model_wrote_is_explained_with_the_networks_that_wrote_it(kind):
    model = language_writer() if kind == "lm" else writer(kind, reads=detector(), concepts="all")
    check_explainable(model)
    answers = model.answers(some_images()[:1])
    subject = asked(model, answers=answers)
    assert subject.caption == answers.lines[0].caption
    words = [one for one in subject.statements if one.kind in (Kind.WORD, Kind.SPAN)]
    assert words
    for one in words:
        assert one.place is not None
        assert subject.caption[slice(*one.place)] == one.label
        assert 0 < one.probability <= 1
        if one.paths:
            assert sum(path.share for path in one.paths) == pytest.approx(1)
            assert one.voices == ((next(iter(one.voices))[0], 1.0),)
            lens = one.voices[0][0]
            chance = float(lens.chances(lens.pixels, [one.target]))
            assert one.probability == pytest.approx(chance, rel=1e-3)
        else:
            assert "The words before it make this word" in one.note
    assert all(one.map is not None for one in mapped(words, MethodChoice(), 32, 32) if not one.why)


def _log_probability(lens: WriterLens, span: Span, features, told: Hints) -> float:
    """Of a span, by one softmax after another."""
    tokens = [tokenizer().begin, *span.tokens]
    logits = lens.writer(features, torch.tensor([tokens[:-1]]), told.concepts, told.words)
    return sum(
        float(logits[0, place].log_softmax(-1)[tokens[place + 1]]) for place in range(span.first, span.last)
    )


@pytest.mark.parametrize("kind", LEANING)
@pytest.mark.parametrize("apart", [False, True])
def test_a_word_rests_on_the_image_and_on_what_was_told(kind, apart):
    reads = detector(size=48 if apart else SIZE)
    model = writer(kind, reads=reads, apart=apart, concepts="all")
    subject = asked(model)
    found = by_key(subject)
    spans = {one.label: one for one in subject.statements if one.kind is Kind.SPAN}
    assert {name: one.cui for name, one in spans.items()} == {
        "Chest": CHEST, "radiograph": XRAY, "pneumonia": PNEUMONIA,
    }  # fmt: skip
    assert [one.label for one in found.values() if one.kind is Kind.WORD] == ["showing"]
    assert spans["radiograph"].localisable is False
    lens = next(
        path.lens for one in spans.values() for path in one.paths if isinstance(path.lens, WriterLens)
    )
    seen = {path.lens.pixels.shape[-1] for one in spans.values() for path in one.paths}
    assert lens.told.concepts is not None
    assert lens.pixels.shape[-1] == SIZE
    assert seen <= ({SIZE, 48} if apart else {SIZE})
    with torch.no_grad():
        features = lens.backbone(lens.pixels)
        for one in spans.values():
            assert isinstance(one.target, Span)
            assert tokenizer().decode(one.target.tokens) == CAPTION
            whole = _log_probability(lens, one.target, features, lens.told)
            lost = {"the image itself": whole - _log_probability(lens, one.target, None, lens.told)}
            for place, label in enumerate(lens.told.concepts[0].tolist()):
                fewer = lens.told.concepts.clone()
                fewer[0, place] = NONE
                name = f"the concept {list(NAMES.values())[label]}, which was told"
                lost[name] = whole - _log_probability(lens, one.target, features, Hints(fewer))
            lost = {name: max(0.0, value) for name, value in lost.items()}
            total = sum(lost.values())
            kept = {name: value for name, value in lost.items() if value >= 0.05 * total}
            told = {path.name: path.share for path in one.paths}
            if total < 0.05:
                assert told == {}
                continue
            assert set(told) == set(kept)
            for name, value in kept.items():
                assert told[name] == pytest.approx(value / sum(kept.values()), abs=1e-3)
    concepts = [one for one in found.values() if one.kind is Kind.CONCEPT]
    assert [(one.cui, one.probability) for one in concepts] == list(TOLD.items())
    assert subject.vector is not None


def test_a_word_that_needs_nothing_is_of_the_language():
    model = writer("lstm, one look")
    with torch.no_grad():  # whatever is seen, the state begins alike
        model.scribe.writer.decoder.get_parameter("cells.first.weight").zero_()
    for one in asked(model, answers=said(concepts={})).statements:
        assert (one.paths, one.voices) == ((), ())
        assert "The words before it make this word" in one.note


def test_a_captioner_without_a_detector():
    model = writer("prefix")
    subject = asked(model, answers=said(concepts={}))
    assert {one.kind for one in subject.statements} == {Kind.WORD}
    assert [one.label for one in subject.statements] == ["Chest", "radiograph", "showing", "pneumonia"]
    assert (subject.vector, labels_of(model)) == (None, {})
    assert {path.name for one in subject.statements for path in one.paths} == {"the image itself"}


@pytest.mark.parametrize(
    ("texts", "labels"),
    [
        (["words"], ["showing"]),
        (["spans"], ["Chest", "radiograph", "pneumonia"]),
        (["concepts"], ["Pneumonia", "Plain x-ray"]),
        (["Chest"], ["Chest", "Chest"]),  # the word, and the concept as the detector sees it
        (["SHOWING"], ["showing"]),
        ([EFFUSION], ["Pleural effusion"]),
        (["neighbours"], []),
        (["spans,words"], ["Chest", "radiograph", "pneumonia", "showing"]),
    ],
)
def test_only_what_is_wanted(texts, labels):
    model = writer(reads=detector(), concepts="all")
    assert [one.label for one in asked(model, *texts).statements] == labels


def test_a_word_that_is_a_span_may_be_asked_for_by_its_text():
    subject = asked(writer(reads=detector()), "radiograph")
    assert [(one.kind, one.label) for one in subject.statements] == [
        (Kind.SPAN, "radiograph"),
        (Kind.WORD, "radiograph"),
    ]


def test_words_are_held_against_others_in_their_place():
    model = writer(reads=detector(), concepts="all")
    found = by_key(asked(model, "pneumonia:effusion", "pneumonia:mass", "showing:of"))
    assert list(found) == ["contrast-1", "contrast-2", "contrast-3"]
    one = found["contrast-1"]
    assert (one.kind, one.label, one.place) == (Kind.CONTRAST, "pneumonia rather than effusion", (25, 34))
    assert isinstance(one.target, Contrast)
    assert isinstance(one.target.this, Span)
    assert isinstance(one.target.other, Span)
    texts = [tokenizer().decode(each.tokens) for each in (one.target.this, one.target.other)]
    assert texts == [CAPTION, CAPTION.replace("pneumonia", "effusion")]
    for each, word in ((one.target.this, "pneumonia"), (one.target.other, "effusion")):
        assert tokenizer().decode(each.tokens[each.first : each.last]).strip(" .") == word
    assert all(each.map is not None for each in mapped([one], MethodChoice("hires-cam"), 32, 32))


def test_concepts_are_held_against_each_other_by_the_detector():
    model = writer(reads=detector(), concepts="all")
    (one,) = asked(model, f"{PNEUMONIA}:{EFFUSION}").statements
    assert one.target == Contrast(Concept(PNEUMONIA), Concept(EFFUSION))
    assert asked(model, f"{PNEUMONIA}:mass").statements == ()  # the run refuses what no image has
    assert asked(writer("gru"), "mass:cyst", answers=said(concepts={})).statements == ()


def test_a_plain_caption_is_the_detectors():
    model = writer(reads=detector(), concepts="all")
    answers = said(by="plain, since no draft was supported")
    subject = asked(model, answers=answers)
    assert subject.notes[0].startswith("No draft of the writer was supported")
    spans = {one.label: one for one in subject.statements if one.kind is Kind.SPAN}
    for name, cui in (("Chest", CHEST), ("radiograph", XRAY), ("pneumonia", PNEUMONIA)):
        assert spans[name].target == Concept(cui)
        assert [path.name for path in spans[name].paths] == [f"the concept {NAMES[cui]}"]
        assert spans[name].probability == TOLD.get(cui)
    word = next(one for one in subject.statements if one.kind is Kind.WORD)
    assert (word.label, word.paths, word.target, word.localisable) == ("showing", (), None, False)
    assert "plain sentence" in word.note
    pairs = asked(model, f"{PNEUMONIA}:{EFFUSION}", "chest:mass", answers=answers).statements
    assert [one.label for one in pairs] == ["Pneumonia rather than Pleural effusion"]
    alone = asked(writer("gru"), answers=said(by="plain", concepts={}))
    assert alone.notes == ()


def test_a_template_says_what_its_detector_decided_for():
    reads = detector()
    model = TemplateModel(Eyes(CPU, reads.view, None, reads), reads.names, PostSettings())
    check_explainable(model)
    answers = model.answers(some_images()[:1])
    subject = asked(model, answers=answers)
    assert subject.caption == answers.lines[0].caption
    cuis = [one.cui for one in subject.statements if one.cui]
    assert sorted(set(cuis)) == sorted(NAMES)
    assert all(one.probability is not None for one in subject.statements if one.cui)
    assert labels_of(model) == NAMES
    by_key(subject)
    plain = asked(model, EFFUSION, "concepts", answers=said("Chest radiograph."))
    assert [(one.kind, one.cui) for one in plain.statements] == [
        (Kind.CONCEPT, PNEUMONIA),
        (Kind.CONCEPT, XRAY),
        (Kind.CONCEPT, EFFUSION),
    ]
    mixed = asked(model, answers=said("Chest radiograph."))
    assert [(one.kind, one.cui) for one in mixed.statements] == [
        (Kind.SPAN, CHEST),
        (Kind.SPAN, XRAY),
        (Kind.CONCEPT, PNEUMONIA),
    ]


@pytest.mark.parametrize("way", ["pool", "shared", "apart"])
def test_the_caption_of_a_neighbour_is_like_it_by_places(way):
    reads = detector(size=48)
    eyes = {
        "pool": Eyes(CPU, View(ImageSettings(size=SIZE)), backbone(4)),
        "shared": Eyes(CPU, reads.view, None, reads),
        "apart": Eyes(CPU, View(ImageSettings(size=SIZE)), backbone(4), reads),
    }[way]
    pool = make_head(HeadSettings(), 6, 1).eval() if way == "pool" else None
    recall = Recall(index(), tuple(f"Caption {number}." for number in range(5)))
    model = NearestModel(eyes, recall, 2, PostSettings(), pool)
    check_explainable(model)
    answers = model.answers(some_images()[:1])
    near = answers.lines[0].neighbours
    subject = asked(model, answers=answers)
    assert subject.neighbours == tuple((one.image, one.similarity) for one in near)
    assert "training image" in subject.notes[0]
    assert [one.label for one in subject.statements] == [f"like {one.image}" for one in near]
    lens = subject.statements[0].voices[0][0]
    assert isinstance(lens, NeighbourLens)
    found = lens.scores(lens.backbone(lens.pixels), [one.target for one in subject.statements])[0]
    np.testing.assert_allclose(found.detach(), [one.similarity for one in near], atol=1e-5)
    assert [one.target for one in subject.statements] == [Neighbour(place) for place in lens.near]
    assert lens.pixels.shape[-1] == (SIZE if way == "pool" else 48)


def test_likely_words_are_labels_of_a_head():
    looks = backbone(4)
    torch.manual_seed(0)
    head = make_head(HeadSettings(), 6, 4).eval()
    eyes = Eyes(CPU, View(ImageSettings(size=SIZE)), looks)
    model = WordsModel(eyes, head, ("chest", "CT", "mass", "the"), 3, PostSettings())
    check_explainable(model)
    answers = model.answers(some_images()[:1])
    subject = asked(model, answers=answers)
    drafts = {one.text: one.score for one in answers.lines[0].drafts}
    assert [one.target for one in subject.statements] == [Concept(word) for word in drafts]
    for one in subject.statements:
        lens = one.voices[0][0]
        assert isinstance(lens, NetworkLens)
        assert float(lens.chances(lens.pixels, [one.target])) == pytest.approx(one.probability, abs=1e-5)
    line = Line(photo().image, "Mass unknown ct.", "words", (Draft("mass", 0.5),))
    other = asked(model, answers=CaptionAnswers((line,), ""))
    assert [(one.label, one.probability) for one in other.statements] == [("Mass", 0.5), ("ct", None)]
    few = asked(model, "CT", answers=CaptionAnswers((line,), ""))
    assert [one.label for one in few.statements] == ["ct"]


def test_no_words_no_statements():
    model = writer(reads=detector())
    assert asked(model, "words", answers=said(". . .", concepts={})).statements == ()
    with pytest.raises(UsageError, match="no concept of this model"):
        asked(model, "C9999999")


def test_concepts_told_by_two_words_together_are_not_the_detectors():
    model = writer(reads=detector())
    subject = asked(model, "concepts", answers=said(concepts={"C5244027": 0.7} | TOLD))
    assert [one.cui for one in subject.statements] == list(TOLD)
    other = replace(model, names={**NAMES, "C5244027": "COVID-19 pneumonia"})
    assert asked(other, "C5244027").statements == ()
