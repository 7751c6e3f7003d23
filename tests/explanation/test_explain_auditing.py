"""Which maps are measured and on what; noise in place of networks; who judges the boxes of others."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from explain_model_samples import CAPTION, CHEST, PNEUMONIA, XRAY, detector, retrieving, some_images, writer
from explain_pipeline_samples import add_methods, ensemble, saying

from radcap.explanation.auditing import _QUICK, audited
from radcap.explanation.external_audience import with_audience
from radcap.explanation.faithfulness.values import Sanity
from radcap.explanation.families import DEFAULTS, FAMILIES, default_method, family_of
from radcap.explanation.lenses.writer_lens import WriterLens
from radcap.explanation.mapping import MethodChoice, mapped
from radcap.explanation.methods import METHODS, make_method
from radcap.explanation.sanity import mean_of, network_of, sanity_of, with_network
from radcap.explanation.subjects.opening import Photo, subject_of
from radcap.explanation.subjects.wanted import wanted_from
from radcap.explanation.targets import Span
from radcap.explanation.values import Evidence, Kind
from radcap.vision.heads import make_head
from radcap.vision.settings import HeadSettings

torch.set_num_threads(1)  # networks this small only wait for threads

GRAD = MethodChoice("hires-cam")


def subject(model: Any, *texts: str) -> Any:
    data = some_images()[:1]
    photo = Photo.of(data.ids[0], data.image(0), 0)
    return subject_of(model, model.answers(data), photo, wanted_from(texts))


def evidence(made: Any, choice: MethodChoice = GRAD) -> list[Evidence]:
    found = mapped(made.statements, choice, *made.picture.shape[:2])
    return [
        Evidence(one.key, one.kind, one.label, map_.map, cui=one.cui, place=one.place)
        for one, map_ in zip(made.statements, found, strict=True)
    ]


def measured(made: Any, level: str, choice: MethodChoice = GRAD, held: Any = None) -> list[Any]:
    found = audited(held or evidence(made, choice), made.statements, made, level, choice, 0)
    return [one.faithfulness for one in found]


def test_nothing_is_measured_unless_it_is_asked_for() -> None:
    assert not any(measured(subject(detector()), "none"))


def test_a_concept_and_its_span_are_measured_once(monkeypatch: pytest.MonkeyPatch) -> None:
    saying(monkeypatch)
    made = subject(writer(reads=detector(), concepts="all"))
    held = evidence(made)
    quick = {one.key for one, told in zip(held, measured(made, "quick", held=held), strict=True) if told}
    full = {one.key for one, told in zip(held, measured(made, "full", held=held), strict=True) if told}
    shown = {one.key for one in held if one.map is not None}
    assert full == shown
    kinds = {one.key: one.kind for one in held}
    assert Kind.WORD not in {kinds[key] for key in quick}
    cuis = [one.cui for one in held if one.key in quick]
    assert len(set(cuis)) == len(cuis) <= _QUICK
    spans = {one.cui for one in held if one.kind is Kind.SPAN and one.map is not None}
    assert {one.cui for one in held if one.key in quick and one.kind is not Kind.SPAN}.isdisjoint(spans)
    assert len(spans) < len([one for one in held if one.cui])


def test_only_a_few_are_measured_quickly() -> None:
    made = subject(detector(), PNEUMONIA)
    many = replace(made, statements=tuple(replace(made.statements[0], key=f"k{n}") for n in range(8)))
    held = [replace(one, cui="") for one in evidence(many)]
    assert [one is not None for one in measured(many, "quick", held=held)] == [True] * _QUICK + [False] * (
        8 - _QUICK
    )


def test_statements_of_several_networks_are_put_to_all_of_them() -> None:
    made = subject(ensemble(), CHEST, PNEUMONIA)
    assert [len(one.voices) for one in made.statements] == [2, 2]
    quick = measured(made, "quick")
    alone = [measured(replace(made, statements=(one,)), "quick")[0] for one in made.statements]
    for both, one in zip(quick, alone, strict=True):
        np.testing.assert_allclose(both.deletion.values, one.deletion.values, atol=1e-5)
        assert both.gain == pytest.approx(one.gain, abs=1e-4)
    lenses = dict(made.statements[0].voices)
    chances = [
        share * float(lens.chances(lens.pixels, [made.statements[0].target]))
        for lens, share in lenses.items()
    ]
    assert quick[0].deletion.values[0] == pytest.approx(sum(chances), abs=0.02)


def test_full_adds_what_takes_longer() -> None:
    made = subject(detector(), CHEST, XRAY)
    for told in measured(made, "full"):
        assert None not in (told.road, told.infidelity, told.sensitivity)
        assert 0 < told.sensitivity < 2
    assert all(told.road is None for told in measured(made, "quick"))


def test_a_map_that_goes_away_under_noise_is_as_sensitive_as_can_be(monkeypatch: pytest.MonkeyPatch) -> None:
    add_methods(monkeypatch)
    (told,) = measured(subject(detector(), CHEST), "full", MethodChoice("resting"))
    assert told.sensitivity == pytest.approx(1, abs=1e-5)


def test_boxes_of_others_have_no_sensitivity() -> None:
    made = subject(detector(), CHEST)
    without = replace(made, statements=tuple(replace(one, paths=()) for one in made.statements))
    (told,) = measured(without, "full", held=evidence(made))
    assert told.road is not None
    assert told.sensitivity is None


# noise in place of a network


@pytest.mark.parametrize(
    ("make", "family"),
    [
        (detector, "cnn"),
        (retrieving, "neighbours"),
        (lambda: writer("lstm"), "recurrent"),
        (lambda: writer("transformer"), "transformer"),
        (lambda: writer("prefix"), "prefix"),
    ],
    ids=["network", "neighbours", "lstm", "transformer", "prefix"],
)
def test_a_lens_over_the_same_network_says_the_same_and_over_noise_another(
    make: Any, family: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    saying(monkeypatch)
    path = next(one.paths[0] for one in subject(make()).statements if one.paths)
    lens, target = path.lens, path.target
    parts = network_of(lens)
    again = with_network(lens, parts)
    assert type(again) is type(lens)
    assert again.backbone is lens.backbone
    before = lens.chances(lens.pixels, [target])
    assert torch.equal(again.chances(lens.pixels, [target]), before)
    held = [one.clone() for one in parts.parameters()]
    told = sanity_of(make_method("hires-cam"), lens, [target], stages=2)
    assert told.stages[0] == "head"
    assert len(told.likeness) == len(told.stages)
    assert all(torch.equal(one, other) for one, other in zip(held, parts.parameters(), strict=True))
    assert torch.equal(lens.chances(lens.pixels, [target]), before)
    assert family_of(lens) == family


def test_the_mean_over_images_or_nothing() -> None:
    assert mean_of([]) is None
    parts = [Sanity(("head",), (0.2,)), Sanity(("head",), (0.6,))]
    found = mean_of(parts)
    assert found is not None
    assert (found.stages, found.likeness) == (("head",), pytest.approx((0.4,)))


def test_families_have_a_default_that_is_there() -> None:
    assert set(DEFAULTS) == set(FAMILIES)
    assert {default_method(one) for one in FAMILIES} <= set(METHODS.names)


def test_a_csra_head_and_a_transformer_are_kinds_of_their_own() -> None:
    lens = subject(detector()).statements[0].paths[0].lens
    head = make_head(HeadSettings(kind="csra"), 6, 4)
    assert family_of(replace(lens, network=_Network(lens.backbone, head))) == "csra"
    sees_all = _Network(_Network(_Blocks(), None), lens.network.head)
    sees_all.backbone.body = _Network(None, None)
    sees_all.backbone.body.network = _Blocks()
    assert family_of(replace(lens, network=sees_all)) == "vit"


class _Network:
    """A backbone and a head, and nothing else."""

    body: Any
    network: Any

    def __init__(self, backbone: Any, head: Any) -> None:
        self.backbone, self.head = backbone, head


class _Blocks:
    """As timm names the parts of a vision transformer."""

    blocks = patch_embed = ()


# who judges boxes


def test_boxes_are_judged_by_the_writer_whose_words_they_are_for(monkeypatch: pytest.MonkeyPatch) -> None:
    saying(monkeypatch)
    made = subject(writer(reads=detector(), concepts="all"))
    place = (CAPTION.index("pneumonia"), CAPTION.index("pneumonia") + 9)
    boxes = [
        Evidence("external-1", Kind.SPAN, "pneumonia", None, place=place),
        Evidence("external-2", Kind.SPAN, "elsewhere", None),
    ]
    found, nowhere = with_audience(boxes, made)
    ((lens, share),) = found.voices
    assert isinstance(lens, WriterLens)
    assert share == 1
    own = next(one for one in made.statements if one.place == place)
    assert isinstance(found.target, Span)
    assert found.target == own.target
    assert (nowhere.target is None) == (not nowhere.voices)


def test_boxes_for_a_plain_caption_are_judged_by_what_spoke_for_the_same_words() -> None:
    made = subject(detector(), CHEST)
    told = replace(made, statements=(replace(made.statements[0], place=(0, 5)),), caption="Chest.")
    boxes = [
        Evidence("external-1", Kind.SPAN, "Chest", None, place=(0, 5)),
        Evidence("external-2", Kind.SPAN, "hest", None, place=(1, 5)),
    ]
    found, nobody = with_audience(boxes, told)
    assert (found.target, found.voices) == (told.statements[0].target, told.statements[0].voices)
    assert (nobody.target, nobody.voices) == (None, ())
