"""From a caption to evidence: entities, phrases, boxes, maps and notes."""

from __future__ import annotations

import re

import numpy as np
import pytest
from external_samples import Told
from scipy import ndimage

from radcap.explanation.external import FoundBox
from radcap.explanation.external.entities import entities_of
from radcap.explanation.external.explaining import external_evidence, found_map
from radcap.explanation.external.regions import box_mask
from radcap.explanation.external.settings import EntitySettings, ProviderSettings
from radcap.explanation.system import BoxSettings, ExplainSettings, ExplainSystem
from radcap.explanation.values import Box, Kind

CAPTION = (
    "CT of the chest showing a pleural effusion in the left lower lobe and cardiomegaly (white arrow). "
    "No pneumothorax. The pleural effusion is large."
)
PICTURE = np.full((60, 80, 3), 90, np.uint8)
LEFT, RIGHT = Box(0.5, 0.5, 0.25, 0.25, 0), Box(0.0, 0.0, 0.5, 0.25, 0)


def system(most: int = 3) -> ExplainSystem:
    return ExplainSystem(
        name="a",
        task="explain",
        explain=ExplainSettings("external"),
        boxes=BoxSettings(most=most),
        provider=ProviderSettings(kind="openai"),
    )


def phrases(caption: str, **changes) -> list[str]:
    return [one.phrase for one in entities_of(caption, EntitySettings(**changes))]


@pytest.mark.parametrize(
    ("caption", "found"),
    [
        ("", []),
        ("Nothing of note.", []),
        ("CT", []),  # a modality is in no place
        ("Pleural effusion.", ["Pleural effusion"]),
        ("Left pleural effusion.", ["Left pleural effusion"]),
        ("A large pleural effusion.", ["pleural effusion"]),
        ("Pleural effusion on the left and cardiomegaly", ["Pleural effusion on the left", "cardiomegaly"]),
        ("Pleural effusion of unknown origin", ["Pleural effusion"]),
        ("Pleural effusion (see text)", ["Pleural effusion"]),
        ("Pleural\neffusion (arrowheads)", ["Pleural effusion (arrowheads)"]),
        ("(left) pleural effusion", ["pleural effusion"]),
        ("pleural effusion at the left base (arrow)", ["pleural effusion at the left base (arrow)"]),
    ],
)
def test_phrases_have_the_words_that_say_where(caption: str, found: list[str]) -> None:
    assert phrases(caption, groups=("DISO",)) == found


def test_what_is_denied_is_not_looked_for_unless_one_wants_it() -> None:
    assert "pneumothorax" not in phrases(CAPTION)
    assert "pneumothorax" in phrases(CAPTION, negated=True)


def test_concepts_are_looked_for_once_and_stand_where_the_caption_has_them() -> None:
    found = entities_of(CAPTION, EntitySettings())
    assert [one.label for one in found] == ["chest", "pleural effusion", "left lower lobe", "cardiomegaly"]
    assert [CAPTION[slice(*one.place)] for one in found] == [one.label for one in found]
    assert len(entities_of(CAPTION, EntitySettings(most=2))) == 2


def test_every_entity_has_its_evidence() -> None:
    effusion, heart = "pleural effusion in the left lower lobe", "cardiomegaly (white arrow)"
    told = Told(
        (
            FoundBox(effusion, RIGHT, 0.4),
            FoundBox(effusion, LEFT, 0.8),
            FoundBox(heart, LEFT, 0.5, how="luck"),
        )
    )
    chest, first, lobe, last = external_evidence(system(), told, PICTURE, CAPTION)
    assert told.asked == [("chest", effusion, "left lower lobe", heart)]
    for one in (chest, lobe):
        assert (one.map, one.boxes) == (None, ())
        assert one.note.startswith("No box was found. Not of the model that wrote the caption")
    for one in (chest, first, lobe, last):
        assert one.kind is Kind.SPAN
        assert one.probability is None
        assert "the provider 'openai' was asked" in one.note
        assert re.fullmatch("[a-z0-9-]+", one.key)
    assert last.note.endswith("By: luck.")
    assert (first.key, first.cui, first.place) == ("external-2-pleural-effusion", "C0032227", (26, 42))
    assert first.map is not None
    assert first.map.shape == (60, 80)
    assert (first.map.dtype, float(first.map.max())) == (np.float32, pytest.approx(0.8))
    assert [(one.left, one.width) for one in first.boxes] == [(0.5, 0.25), (0.0, 0.5)]  # the stronger first
    assert sum(one.share for one in first.boxes) == pytest.approx(1, abs=0.15)
    assert first.to_json()["has_map"]


def test_a_caption_without_entities_asks_nobody() -> None:
    told = Told()
    assert external_evidence(system(), told, PICTURE, "Nothing of note.") == ()
    assert told.asked == []


def test_only_so_many_boxes_are_kept() -> None:
    told = Told(tuple(FoundBox("Cardiomegaly", LEFT, score) for score in (0.2, 0.9, 0.5)))
    (one,) = external_evidence(system(most=2), told, PICTURE, "Cardiomegaly")
    assert len(one.boxes) == 2


def test_a_map_is_the_score_inside_with_a_soft_edge_as_scipy_smooths_it() -> None:
    mask = np.zeros((100, 140), np.bool_)
    mask[20:50, 30:31] = True
    found = [FoundBox("a", LEFT, 0.5), FoundBox("a", RIGHT, 0.9, mask)]
    drawn = found_map(found, 100, 140)
    assert drawn is not None
    boxed = 0.5 * ndimage.uniform_filter(box_mask(LEFT, 100, 140).astype(float), 5, mode="nearest")
    masked = 0.9 * ndimage.uniform_filter(mask.astype(float), 5, mode="nearest")
    assert np.allclose(drawn, np.maximum(boxed, masked), atol=1e-6)
    assert drawn[0, 139] == 0  # and nothing at all far away


def test_an_empty_mask_leaves_the_box_and_nothing_makes_no_map() -> None:
    empty = FoundBox("a", LEFT, 0.5, np.zeros((60, 80), np.bool_))
    drawn = found_map([empty], 60, 80)
    assert drawn is not None
    assert drawn[35, 45] == 0.5
    assert found_map([], 60, 80) is None
    assert found_map([FoundBox("a", LEFT, 0.0)], 60, 80) is None


def test_a_label_without_letters_still_has_a_key(monkeypatch) -> None:
    from radcap.explanation.external import explaining
    from radcap.explanation.external.entities import Entity

    monkeypatch.setattr(explaining, "entities_of", lambda *_: (Entity("肺", "肺", "C0024109", (0, 1)),))
    (one,) = external_evidence(system(), Told(), PICTURE, "肺")
    assert one.key == "external-1-entity"
