"""The report as FHIR, read back by a library that checks it; and what no form of any report says."""

from __future__ import annotations

import base64
import json
import re
import xml.etree.ElementTree as ET
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest
from fhir.resources.R4B.diagnosticreport import DiagnosticReport
from hypothesis import given, settings
from hypothesis import strategies as st
from reading_samples import empty_reading, sample_reading
from safe_pages import HOSTILE

from radcap.captioning.grammar import Role
from radcap.explanation.values import Case, Evidence, Kind
from radcap.reading.structured import structured_report
from radcap.reading.structured.diagnostic_report import diagnostic_report
from radcap.reading.structured.plain_text import plain_text
from radcap.reading.structured.report_json import as_json
from radcap.reading.structured.report_page import report_page
from radcap.reading.values import RESEARCH_ONLY, Reading, Seen

UMLS = "http://terminology.hl7.org/CodeSystem/umls"
CUIS = {"C0032227": "Pleural effusion", "C0032326": "Pneumothorax", "C0032285": "Pneumonia"}
MORE = ["C1306645", "C0817096", "C0205129", "C9999991", "C9999992"]
CUI = re.compile(r"C\d{7}")


def _read_back(reading: Reading, issued: datetime | None = None) -> dict[str, Any]:
    text = diagnostic_report(structured_report(reading, issued=issued))
    parsed = DiagnosticReport.model_validate_json(text)
    again = json.loads(parsed.model_dump_json())
    assert again == json.loads(text) or issued is not None  # nothing is lost on the way
    return json.loads(text)


@pytest.mark.parametrize("made", [sample_reading, empty_reading])
def test_it_is_read_back_and_preliminary(made):
    told = _read_back(made())
    assert (told["resourceType"], told["status"]) == ("DiagnosticReport", "preliminary")
    assert told["code"]["coding"][0]["code"] == "18748-4"
    assert told["conclusion"].endswith(RESEARCH_ONLY)
    assert told["meta"]["security"][0]["code"] == "AIAST"


def test_no_patient_time_or_performer_is_invented():
    told = _read_back(sample_reading())
    unknown = {"subject", "encounter", "effectiveDateTime", "issued", "performer", "imagingStudy", "basedOn"}
    assert unknown & set(told) == set()
    assert all(unknown & set(one) == set() for one in told["contained"])


def test_issued_is_what_was_given():
    issued = datetime(2026, 3, 1, 12, 30, tzinfo=UTC)
    assert _read_back(sample_reading(), issued)["issued"] == "2026-03-01T12:30:00+00:00"


def test_each_concept_is_an_observation_with_its_probability():
    told = _read_back(sample_reading())
    *observations, media = told["contained"]
    assert [one["reference"] for one in told["result"]] == [f"#{one['id']}" for one in observations]
    values = [one["valueCodeableConcept"]["coding"][0] for one in observations]
    assert [one["code"] for one in values] == [one.cui for one in sample_reading().concepts]
    assert {one["system"] for one in values} == {UMLS}
    first = observations[0]["component"][0]["valueQuantity"]
    assert (first["value"], first["unit"], first["code"]) == (0.9812, "1", "1")
    assert "component" not in observations[-1]  # that model told no probability
    assert base64.b64decode(media["content"]["data"]).startswith(b"\xff\xd8")
    assert told["media"][0]["link"]["reference"] == f"#{media['id']}"


def test_the_conclusion_codes_what_is_likely_alone():
    codes = [one["coding"][0]["code"] for one in _read_back(sample_reading())["conclusionCode"]]
    assert codes == ["C0032285", "C0085590"]
    assert "conclusionCode" not in _read_back(empty_reading())


def test_everything_contained_is_referred_to():
    told = _read_back(sample_reading())
    referred = {one["reference"] for one in told["result"]} | {
        one["link"]["reference"] for one in told["media"]
    }
    assert {f"#{one['id']}" for one in told["contained"]} == referred


def test_the_same_report_has_the_same_bytes_and_another_another_name():
    one, two = (diagnostic_report(structured_report(sample_reading())) for _ in range(2))
    assert one == two
    assert json.loads(one)["id"] != _read_back(sample_reading("other.png"))["id"]
    assert json.loads(one)["identifier"][0]["value"] == f"urn:uuid:{json.loads(one)['id']}"


@pytest.mark.parametrize("text", HOSTILE, ids=["tag", "quote", "direction", "control"])
def test_the_words_are_escaped(text: str):
    concepts = (Seen("C0032285", text, 0.7, Role.FINDING),)
    told = _read_back(sample_reading(text, concepts=concepts, notes=(text,), attribution=text))
    words = ET.fromstring(told["text"]["div"])  # noqa: S314, made by the code under test
    assert words.tag == "{http://www.w3.org/1999/xhtml}div"
    assert {one.tag.rpartition("}")[2] for one in words.iter()} <= {"div", "p", "b", "h3", "ul", "li"}


_NAMES = st.text(alphabet="abxyz <>&\"'-\u202e\x1b\n\u00e9", max_size=12)
_SEEN = st.builds(
    Seen,
    cui=st.sampled_from([*CUIS, *MORE]),
    name=_NAMES.map("n{}".format),  # one without a name is told by its CUI, even where it is left out
    p=st.none() | st.floats(0, 1),
    role=st.sampled_from(Role),
)
_EVIDENCE = st.builds(
    Evidence,
    key=st.just("k"),
    kind=st.sampled_from(Kind),
    label=_NAMES,
    map=st.sampled_from([None, np.eye(8, dtype=np.float32), -np.ones((8, 8), np.float32)]),
    cui=st.sampled_from([*CUIS, *MORE, ""]),
    place=st.sampled_from([None, (0, 5)]),
    localisable=st.booleans(),
    note=_NAMES,
)
_CASES = st.builds(
    Case,
    image=_NAMES,
    similarity=st.floats(0, 1),
    caption=st.sampled_from(["C7777777 of another image", ""]),
    concepts=st.lists(st.sampled_from([*CUIS.values(), "C8888888"]), max_size=3).map(tuple),
)
_CAPTIONS = st.lists(
    st.tuples(
        st.sampled_from(["No {}.", "There is {}.", "Without {}."]), st.sampled_from(list(CUIS.values()))
    ),
    max_size=3,
)


@st.composite
def _readings(draw: st.DrawFn) -> tuple[Reading, list[tuple[str, str]]]:
    said = draw(_CAPTIONS)
    found = draw(st.lists(_SEEN, max_size=5, unique_by=lambda one: one.cui))
    reading = Reading(
        image=draw(_NAMES),
        model="zoo:captions",
        concepts=tuple(found),
        caption=" ".join(frame.format(name.lower()) for frame, name in said),
        picture=np.full((8, 8, 3), 90, np.uint8),
        radiology=draw(st.none() | st.floats(0, 1)),
        evidence=tuple(draw(st.lists(_EVIDENCE, max_size=3))),
        neighbours=tuple(draw(st.lists(_CASES, max_size=2))),
        notes=tuple(draw(st.lists(_NAMES, max_size=2))),
    )
    return reading, said


def _without_data(value: Any) -> Any:
    """The values of a JSON without what is base64, where any letters may stand by chance."""
    if isinstance(value, dict):
        return {key: _without_data(one) for key, one in value.items() if key != "data"}
    return [_without_data(one) for one in value] if isinstance(value, list) else value


@settings(max_examples=25, deadline=None)
@given(_readings())
def test_every_concept_of_every_form_was_decided_for_and_not_denied(drawn):
    reading, said = drawn
    report = structured_report(reading)
    fhir = json.loads(diagnostic_report(report))
    DiagnosticReport.model_validate(fhir)
    text = plain_text(report)
    page = re.sub(r"data:image/jpeg;base64,[^\"]+", "", report_page(report).split("</style>")[1])
    asserted = _without_data(as_json(report))
    asserted.pop("disputed")
    forms = [text, page, json.dumps(asserted), json.dumps(_without_data(fhir))]
    decided = {one.cui for one in reading.concepts}
    denied = {name for frame, name in said if "is" not in frame} - {
        name for frame, name in said if "is" in frame
    }
    kept = decided - {cui for cui, name in CUIS.items() if name in denied}
    assert [set(CUI.findall(form)) - kept for form in forms] == [set()] * 4
    assert set(CUI.findall(text)) == kept
    assert not any("normal" in form.lower() for form in forms)
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.slow
def test_a_real_image_is_reported_by_the_shipped_model():
    from radcap.datasets import load_dataset
    from radcap.reading.opening import open_reader

    reader = open_reader(maps=True, cases=1)
    reading = next(reader(load_dataset("radiology-open", "test")))
    assert isinstance(reading, Reading)
    told = _read_back(reading)
    codes = {one["valueCodeableConcept"]["coding"][0]["code"] for one in told["contained"][:-1]}
    assert codes
    assert codes <= {one.cui for one in reading.concepts}
