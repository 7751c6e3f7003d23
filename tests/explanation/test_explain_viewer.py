"""The viewer as a file: whole, safe, readable without a script."""

from __future__ import annotations

import base64
import io
import re
from dataclasses import replace
from importlib.resources import files
from typing import TYPE_CHECKING

import numpy as np
import pytest
from explanation_samples import CAPTION, blob, sample_evidence, sample_explanation, sample_picture
from PIL import Image
from safe_pages import HOSTILE, Tags

from radcap.explanation.faithfulness.values import Sanity
from radcap.explanation.pictures.contour import smooth_contour
from radcap.explanation.pictures.overlay import heat
from radcap.explanation.pictures.relevance import scaled
from radcap.explanation.values import Box, Case, Evidence, Kind, Origin
from radcap.explanation.viewer import viewer_page
from radcap.explanation.viewer.details import faithfulness_table
from radcap.explanation.viewer.encoding import contour_address, heat_address, picture_address
from radcap.explanation.viewer.statements import first_statement, parted, statements
from radcap.report.markup import visible

if TYPE_CHECKING:
    from numpy.typing import NDArray


def pixels(address: str | None, mode: str = "RGBA") -> NDArray[np.uint8]:
    assert address is not None
    kind, _, code = address.partition(";base64,")
    assert kind.startswith("data:image/")
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(code))).convert(mode))


def text_of(page: str) -> str:
    body = re.sub(r"<(script|style)>.*?</\1>", "", page, flags=re.DOTALL)
    plain = re.sub(r"<[^>]*>", "", body)
    for code, char in {"&lt;": "<", "&gt;": ">", "&quot;": '"', "&#x27;": "'", "&amp;": "&"}.items():
        plain = plain.replace(code, char)
    return plain


def checked(page: str) -> Tags:
    """Nothing is fetched, and no script but ours."""
    found = Tags(page)
    assert page.count("<script") == page.count("</script>") == 1
    assert {tag for tag, _ in found.tags} & {"iframe", "object", "base", "form", "svg"} == set()
    for _, attributes in found.tags:
        assert not any(name.startswith("on") for name in attributes)
        assert re.fullmatch(r"[\w .:;%-]*", attributes.get("style") or "")
        for name in {"src", "href", "data-src"} & set(attributes):
            assert (attributes[name] or "").startswith(("data:", "#image-", "#content"))
    return found


def test_the_page_says_all_that_is_known() -> None:
    page = viewer_page([sample_explanation()], "A title & more")
    text = text_of(page)
    for wanted in (
        "A title & more",
        "Research software, not for diagnosis",
        "computed from the model",
        "from the image itself 70 %, from the told concept pneumonia 30 %.",
        "Better than noise and edges, by 0.20.",
        "No better than noise or edges",
        "not localisable: the whole image is one",
        "No map: the word follows from the words before it.",
        "No map: no part of the image was found to speak for it.",
        "probability 0.87",
        "Method: hires-cam. Computed from the model zoo:captions itself.",
        "Passes its sanity check",
        "Pneumonia is said because",
        "The picture was cut",
        "Drawn for tests, CC0",
        "CC BY 4.0. Doe et al. 2020.",
        "licence not stated. author not stated.",
        "similarity 0.93",
        "Shares pneumonia.",
    ):
        assert wanted in text
    checked(page)


def test_without_a_script_the_first_map_is_seen_and_all_words_are_there() -> None:
    found = checked(viewer_page([sample_explanation(), sample_explanation("image-2")]))
    layers = [one for one in found.named("div") if "data-layer" in one]
    shown = [one["data-layer"] for one in layers if "hidden" not in one]
    assert shown == ["1-2", "2-2"]  # the term, which stands second in the caption
    assert (
        len([one for one in found.named("section") if one.get("class") == "image" and "hidden" not in one])
        == 2
    )
    assert len([one for one in found.named("img") if one.get("class") == "heat" and one.get("src")]) == 2


def test_every_statement_has_a_button_and_one_part() -> None:
    found = checked(viewer_page([sample_explanation()]))
    buttons = [one["data-mark"] for one in found.named("button") if "data-mark" in one]
    parts = [one["data-details"] for one in found.named("section") if "data-details" in one]
    assert sorted(map(str, set(buttons))) == sorted(map(str, parts)) == [f"1-{n}" for n in range(1, 9)]
    pressed = [one for one in found.named("button") if "data-mark" in one and one["aria-pressed"] == "true"]
    assert [one["data-mark"] for one in pressed] == ["1-2"]


def test_each_concept_is_listed_once_with_its_probability_the_most_probable_first() -> None:
    page = viewer_page([sample_explanation()])
    listed = re.findall(r'class="name">([^<]*)</span><span class="bar".*?</span>([\d.]+)</span>', page)
    assert listed == [
        ("plain x-ray", "0.98"),
        ("pneumonia", "0.87"),
        ("pleural effusion", "0.41"),
        ("catheter", "0.03"),
    ]


def test_boxes_stand_where_they_are_and_only_where_there_is_one_place() -> None:
    relevance = blob(0.5, 0.5, 0.2)
    boxes = (Box(0.25, 0.01, 0.5, 0.125, 0.6), Box(0.1, 0.5, 0.2, 0.2, 0.3))
    one = Evidence("k", Kind.CONCEPT, "l", relevance, cui="C1", boxes=boxes)
    other = replace(one, key="m", cui="C2", localisable=False)
    page = viewer_page([sample_explanation(evidence=(one, other))])
    assert page.count('class="box"') == 2
    assert 'style="left: 25.00%; top: 1.00%; width: 50.00%; height: 12.50%"><span class="low">60 %' in page


@pytest.mark.parametrize("bad", HOSTILE)
def test_text_of_strangers_stays_text(bad: str) -> None:
    evil = Evidence(
        bad,
        Kind.CONCEPT,
        bad,
        blob(0.5, 0.5, 0.3, (8, 8)),
        cui=bad,
        note=bad,
        place=(2, 9),
        paths=((bad, 1.0),),
        probability=7.5,
    )
    case = Case(bad, 0.5, bad, bad, (bad,), bad, bad)
    made = sample_explanation(
        bad,
        size=(8, 8),
        caption=bad,
        evidence=(evil,),
        model=bad,
        method=bad,
        rationale=bad,
        cases=(case,),
        attribution=bad,
        notes=(bad,),
        sanity=Sanity((bad,), (0.9,)),
    )
    page = viewer_page([made, made], bad)
    checked(page)
    assert visible(bad) in text_of(page)
    assert "width: 100.0%" in page


def test_another_models_maps_are_called_external() -> None:
    page = text_of(viewer_page([sample_explanation(origin=Origin.EXTERNAL, sanity=Sanity(("all",), (0.9,)))]))
    assert "external" in page
    assert "computed from the model" not in page
    assert page.count("Drawn by another model") == 2
    assert "FAILS its sanity check" in page


def test_no_evidence_no_caption_no_image() -> None:
    empty = sample_explanation(evidence=(), caption="", rationale="", cases=(), attribution="", notes=())
    text = text_of(viewer_page([empty]))
    assert "No part of the image was found to speak for any statement." in text
    assert "No caption." in text
    assert "Nearest training images" not in text
    assert "There is no image to show." in text_of(viewer_page([]))


def test_one_image_needs_no_strip() -> None:
    assert 'class="strip-of-images"' not in viewer_page([sample_explanation()])
    many = viewer_page([sample_explanation(f"image {n}", cases=()) for n in range(3)])
    assert [one["href"] for one in Tags(many).named("a")] == ["#content", "#image-1", "#image-2", "#image-3"]
    assert "1 of 3" in many


def test_a_page_of_many_images_stays_small() -> None:
    one = viewer_page([sample_explanation()])
    two = viewer_page([sample_explanation(), sample_explanation()])
    assert len(two) - len(one) < 80_000  # so 200 images of this kind are 16 MB


def test_addresses_hold_what_was_drawn() -> None:
    relevance = blob(0.3, 0.6, 0.2, (60, 90)) - blob(0.8, 0.2, 0.1, (60, 90))
    ours, exact = pixels(heat_address(relevance)).astype(float), heat(relevance).astype(float)
    assert ours.shape == exact.shape
    assert np.abs(ours[..., 3] - exact[..., 3]).max() <= 255 / 80 + 1
    strong = exact[..., 3] > 60
    assert np.abs(ours - exact)[strong].mean() < 3
    assert (pixels(contour_address(relevance)) == smooth_contour(relevance, 320, 213)).all()
    picture = sample_picture(60, 90)
    assert np.abs(pixels(picture_address(picture), "RGB").astype(int) - picture).mean() < 4


def test_large_pictures_become_small() -> None:
    assert pixels(picture_address(sample_picture(40, 2000))).shape[:2] == (13, 640)
    relevance = blob(0.5, 0.5, 0.3, (300, 600))
    assert pixels(heat_address(relevance)).shape == (48, 96, 4)
    assert pixels(contour_address(relevance)).shape == (160, 320, 4)
    assert scaled(relevance, 96, 48).shape == (48, 96)


def test_a_statement_inside_another_is_listed_apart() -> None:
    pieces, rest = parted(CAPTION, statements(sample_explanation(), 1))
    assert "".join(text for text, _ in pieces) == CAPTION
    assert [text for text, one in pieces if one] == [
        "Chest radiograph",
        "right lower lobe pneumonia",
        "a",
        "small",
        "pleural effusion",
    ]
    assert [one.evidence.key for one in rest] == ["word-right", "pneumonia-logit", "catheter"]


@pytest.mark.parametrize("place", [(-1, 4), (0, 500), (5, 5), (7, 3)])
def test_places_that_are_none_are_listed_apart(place: tuple[int, int]) -> None:
    odd = replace(sample_evidence()[4], place=place)
    pieces, rest = parted("some words", statements(sample_explanation(evidence=(odd,)), 1))
    assert pieces == [("some words", None)]
    assert [one.evidence for one in rest] == [odd]


def test_what_is_shown_first() -> None:
    made = sample_explanation()
    word = sample_evidence()[4]
    for evidence, key in (
        (made.evidence, "pneumonia"),
        ((made.evidence[-1], word), "word-right"),
        (made.evidence[-1:], "catheter"),
    ):
        one = replace(made, evidence=evidence)
        first = first_statement(one, statements(one, 1))
        assert first is not None
        assert first.evidence.key == key
    assert first_statement(made, []) is None


def test_figures_that_were_not_measured_are_left_out() -> None:
    measured = sample_evidence()[1].faithfulness
    assert measured is not None
    assert len(faithfulness_table(measured).rows) == 7
    bare = replace(measured, road=None, infidelity=None, sensitivity=None, pointing=False, overlap=None)
    assert [row[:2] for row in faithfulness_table(bare).rows] == [
        ("deletion", "0.350"),
        ("insertion", "0.600"),
        ("pointing", "miss"),
    ]


def test_the_script_makes_no_markup_and_closes_nothing() -> None:
    script = files("radcap.explanation.viewer").joinpath("viewer.js").read_text("utf-8")
    assert (
        re.findall(r"innerHTML|outerHTML|insertAdjacent|document\.write|eval|</script|fetch|http", script)
        == []
    )
