"""The structured report: what it says, in which forms, and what it never says."""

from __future__ import annotations

import base64
import io
import json
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest
from PIL import Image
from reading_samples import CONCEPTS, empty_reading, sample_reading
from safe_pages import HOSTILE, safe

from radcap.captioning.grammar import Role
from radcap.core import VERSION, UsageError
from radcap.explanation.values import Case, Evidence, Kind
from radcap.reading.structured import ENDINGS, FORMATS, SEPARATOR, plain_text, report_of, structured_report
from radcap.reading.structured.impression import NO_FINDING
from radcap.reading.values import RESEARCH_ONLY, Seen

SECTIONS = ["EXAMINATION", "TECHNIQUE", "FINDINGS", "IMPRESSION", "EVIDENCE", "LIMITS"]
EFFUSION = "C0032227"
ISSUED = datetime(2026, 3, 1, 12, 30, tzinfo=UTC)


def _map(value: float = 1.0) -> np.ndarray:
    relevance = np.zeros((128, 128), dtype=np.float32)
    relevance[96:112, 8:24] = value
    return relevance


def _evidence(cui: str, **changes: object) -> Evidence:
    made = Evidence(cui.lower(), Kind.CONCEPT, "x", _map(), cui=cui)
    return replace(made, **changes)  # pyright: ignore[reportArgumentType]


def test_the_text_has_its_sections_in_order_within_80_columns():
    lines = report_of(sample_reading(name="a/" + "long-name-" * 12), "text").splitlines()
    assert [line for line in lines if line.isupper() and line in SECTIONS] == SECTIONS
    assert max(map(len, lines)) <= 80
    assert lines[1] == RESEARCH_ONLY


def test_the_text_tells_concepts_probabilities_and_places():
    reading = sample_reading(evidence=(_evidence("C0032285", note="hardly sure."),))
    text = " ".join(report_of(reading, "text").split())
    for told in (
        "Modality Plain x-ray [C1306645], almost certain,",
        "Region Chest [C0817096]",
        "View Sagittal [C0205129]",
        "1. Pneumonia [C0032285], very likely,",
        "Place: the lower left part of the picture (100 % of the relevance in one box). Note: hardly sure.",
        "2. Pleural effusion [C0032227], unlikely,",
        "3. Catheter [C0085590], decided",
        "case-1, similarity 0.93; shares pneumonia. Doe et al. 2020 (CC BY 4.0).",
        "case-2, similarity 0.88. Author and licence not stated.",
        "The picture was cut to a square before the model saw it.",
    ):
        assert told in text


def test_the_impression_keeps_the_doubtful_apart():
    image, findings, others, doubtful = structured_report(sample_reading()).impression
    assert image == "Sagittal chest radiograph."
    assert findings.startswith("Findings: Pneumonia (very likely, ")
    assert others == "Also decided for: Catheter (decided)."
    assert doubtful.startswith("Doubtful, and decided for all the same: Pleural effusion (unlikely, ")


def test_an_image_without_a_sure_modality_is_not_called_one():
    unsure = replace(CONCEPTS[0], p=0.3)
    told = structured_report(sample_reading(concepts=(unsure, CONCEPTS[1]))).impression
    assert told == (
        "Doubtful, and decided for all the same: Plain x-ray (unlikely, "
        + told[0].partition("unlikely, ")[2],
        NO_FINDING,
    )


@pytest.mark.parametrize("fmt", FORMATS)
def test_nothing_decided_for_is_no_finding_of_the_model_and_never_normal(fmt: str):
    text = report_of(empty_reading(), fmt)
    assert NO_FINDING in text
    body = text.split("</style>")[-1].lower()
    assert not any(word in body for word in ("normal", "unremarkable", "healthy", "no abnormality"))


@pytest.mark.parametrize("fmt", FORMATS)
def test_what_the_caption_alone_says_is_in_no_form(fmt: str):
    reading = sample_reading(concepts=CONCEPTS[:3], neighbours=())
    assert "pneumonia" in reading.caption
    assert "neumonia" not in report_of(reading, fmt)


def test_what_the_caption_denies_is_left_out_and_told():
    reading = sample_reading(caption="Chest radiograph showing pneumonia without pleural effusion.")
    report = structured_report(reading)
    assert [one.cui for one in report.disputed] == [EFFUSION]
    assert EFFUSION not in plain_text(report)
    assert any("the caption denies" in one and "Pleural effusion" in one for one in report.limits)
    assert not any("effusion" in one for one in report.impression)


def test_a_caption_that_denies_and_affirms_disputes_nothing():
    caption = "Pleural effusion on the right. No pleural effusion on the left."
    assert structured_report(sample_reading(caption=caption)).disputed == ()


def test_neighbours_give_only_what_is_shared_and_no_caption():
    case = Case("near", 0.5, caption="A fracture.", concepts=("Pneumonia", "Fracture"), licence="CC0")
    report = structured_report(sample_reading(neighbours=(case,)))
    assert report.nearest[0].shared == ("Pneumonia",)
    assert report.nearest[0].origin == "CC0"
    assert "racture" not in plain_text(report)


def test_an_image_that_is_hardly_radiology_is_told_so():
    told = structured_report(sample_reading(radiology=0.1)).limits
    assert told[1].startswith("This does not look like a radiology image (probability ")
    assert structured_report(sample_reading(radiology=None)).limits[1].startswith("The model knows")


def test_the_picture_shows_the_surest_finding_that_has_a_place():
    reading = sample_reading(
        evidence=(
            _evidence("C0032285", localisable=False),
            _evidence(EFFUSION),
            _evidence("C0817096"),
            _evidence("C0024109"),  # not decided for
        )
    )
    picture = structured_report(reading).picture
    assert picture.cui == EFFUSION
    assert "Pleural effusion" in picture.about
    shown = np.asarray(Image.open(io.BytesIO(picture.data)))
    assert shown.shape == (picture.height, picture.width, 3)
    assert shown[310:330, 30:60, 0].mean() > shown[310:330, 30:60, 2].mean() + 30  # warm where the map is


def test_a_finding_without_probability_counts_as_sure_and_a_map_against_has_no_place():
    found = (Seen("C0032285", "Pneumonia", 0.9, Role.FINDING), Seen(EFFUSION, "", None, Role.FINDING))
    evidence = (_evidence("C0032285"), _evidence(EFFUSION, map=_map(-1.0)))
    report = structured_report(sample_reading(concepts=found, evidence=evidence))
    assert (report.picture.cui, report.findings[1].name) == (EFFUSION, EFFUSION)
    assert report.picture.about.endswith("No place stands out.")


def test_without_maps_the_picture_is_the_image():
    reading = sample_reading(maps=False)
    report = structured_report(reading)
    assert report.picture.cui == ""
    assert report.picture.about.endswith("There is no map of a finding to show.")
    assert "No maps were made." in report.technique
    assert not any("Left and right" in one for one in report.limits)


def test_the_words_of_the_caption_lend_their_map_to_a_concept():
    span = _evidence(EFFUSION, kind=Kind.SPAN, place=(0, 5))
    word = _evidence("C0032285", kind=Kind.WORD, place=(6, 9))
    report = structured_report(sample_reading(evidence=(word, span)))
    assert [bool(one.place) for one in report.findings] == [False, True, False]


def test_json_has_its_keys():
    told = json.loads(report_of(sample_reading(), "json", issued=ISSUED))
    assert list(told) == [
        *("schema", "status", "use", "issued", "image", "attribution", "radiology", "modalities"),
        *("regions", "views", "findings", "disputed", "impression", "technique", "limits"),
        *("evidence_picture", "nearest", "method", "model", "radcap"),
    ]
    assert (told["schema"], told["status"], told["use"]) == ("radcap-report/1", "preliminary", RESEARCH_ONLY)
    assert (told["issued"], told["radcap"]) == ("2026-03-01T12:30:00+00:00", VERSION)
    keys = ["cui", "name", "kind", "p", "certainty", "place", "boxes", "note"]
    assert list(told["findings"][0]) == keys
    assert [one["kind"] for one in told["findings"]] == ["finding", "finding", "other"]
    assert told["modalities"][0]["p"] == 0.9812
    assert base64.b64decode(told["evidence_picture"]["data"]).startswith(b"\xff\xd8")


@pytest.mark.parametrize("made", [sample_reading, empty_reading])
def test_the_page_is_safe_and_its_picture_has_words(made):
    page = report_of(made(), "html", issued=ISSUED)
    found = safe(page)
    (image,) = found.named("img")
    assert (image["alt"] or "").startswith("The image ")
    assert RESEARCH_ONLY in page
    assert "2026-03-01T12:30:00+00:00" in page


@pytest.mark.parametrize("text", HOSTILE, ids=["tag", "quote", "direction", "control"])
def test_texts_of_others_are_text(text: str):
    concepts = (Seen("C0032285", text, 0.7, Role.FINDING), Seen("C9999999", text, 0.8, Role.MODALITY))
    reading = sample_reading(
        name=text,
        concepts=concepts,
        notes=(text,),
        attribution=text,
        neighbours=(Case(text, 0.5, concepts=(text,), attribution=text),),
        evidence=(_evidence("C0032285", note=text),),
    )
    report = structured_report(reading)
    safe(report_of(reading, "html"))
    assert plain_text(report).replace("\n", "").isprintable()
    assert json.loads(report_of(reading, "json"))["image"] == report.image


def test_a_nameless_image_is_said_to_be_so():
    assert "without a name" in report_of(sample_reading(name=""), "text")
    assert "Radiology reading of an image" in report_of(sample_reading(name=""), "html")


def test_several_texts_can_be_joined_and_told_apart():
    joined = SEPARATOR.join(report_of(one, "text") for one in (sample_reading(), empty_reading()))
    assert len(joined.split(SEPARATOR)) == 2
    assert "\f" not in joined


def test_every_form_has_an_ending():
    assert tuple(ENDINGS) == FORMATS == ("text", "html", "json", "fhir")


def test_another_form_is_refused_with_the_nearest():
    with pytest.raises(UsageError, match="Nearest is 'json'"):
        report_of(sample_reading(), "jsn")


def test_a_time_needs_its_zone():
    with pytest.raises(UsageError, match="no time zone"):
        structured_report(sample_reading(), issued=datetime(2026, 3, 1))  # noqa: DTZ001


def test_the_time_is_told_where_it_is_given():
    assert "Issued 2026-03-01T12:30:00+00:00" in report_of(sample_reading(), "text", issued=ISSUED)
    assert "Issued" not in report_of(sample_reading(), "text")
