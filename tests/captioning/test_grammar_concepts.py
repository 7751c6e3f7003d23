"""From concepts to facts, and back by the linker."""

from __future__ import annotations

import csv
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

import radcap
from radcap.captioning.grammar import Facts, Role, facts_of, phrase_of, role_of, sentence
from radcap.captioning.grammar.concepts import MOST_FINDINGS, known_concepts
from radcap.core import DIRECTIONS, MODALITIES, NAMES, REGIONS
from radcap.vocabulary import link

CT, MRI, XRAY, ANGIO, US = "C0040405", "C0024485", "C1306645", "C0002978", "C0041618"
CHEST, ABDOMEN, BREAST, BRAIN = "C0817096", "C0000726", "C0006141", "C0006104"
AP, PA, SAGITTAL = "C1999039", "C1996865", "C0205129"
PNEUMONIA, COVID, EFFUSION = "C0032285", "C5203670", "C0032227"
KNOWN = sorted(known_concepts())


def test_every_label_of_the_detector_has_a_role_and_a_phrase() -> None:
    text = files("radcap.zoo").joinpath("concepts", "labels.csv").read_text("utf-8")
    labels = {row["cui"] for row in csv.DictReader(text.splitlines())}
    labels |= set(radcap.load_dataset("radiology-open").names)
    assert len(labels) == 258
    assert labels <= set(known_concepts())
    assert all(one.phrase for one in known_concepts().values())


def test_manual_concepts_have_the_role_of_their_set() -> None:
    roles = {Role.MODALITY: MODALITIES, Role.REGION: REGIONS, Role.DIRECTION: DIRECTIONS}
    assert {cui: role for role, cuis in roles.items() for cui in cuis} == {cui: role_of(cui) for cui in NAMES}


@pytest.mark.parametrize(
    ("cuis", "caption"),
    [
        ([], "Radiology image."),
        ([XRAY, CHEST], "Chest radiograph."),
        ([XRAY, CHEST, PA, EFFUSION], "PA chest radiograph showing a pleural effusion."),
        ([XRAY, CHEST, SAGITTAL], "Lateral chest radiograph."),
        ([MRI, SAGITTAL, BRAIN], "Sagittal MRI of the brain."),
        ([CT, ABDOMEN, "C0085693"], "CT of the abdomen showing acute appendicitis."),
        ([XRAY, BREAST, "C0006663"], "Mammogram showing calcification."),
        ([MRI, BREAST], "Breast MRI."),
        ([CT, MRI, CHEST], "Chest CT."),
        ([XRAY, CHEST, AP, PA], "AP chest radiograph."),
        ([PNEUMONIA, XRAY, COVID, CHEST], "Chest radiograph showing COVID-19 pneumonia."),
        ([ANGIO, "C0205042", "C1261287"], "Coronary angiogram showing stenosis."),
        (
            [ANGIO, "C0205042", "C1261082", "C0226032"],
            "Angiogram of the left anterior descending coronary artery.",
        ),
        # above another finding in the vocabulary: a neoplasm is said by the meningioma
        ([MRI, "C0027651", "C0025286"], "MRI showing a meningioma."),
        ([US, CHEST, "C0025066"], "Chest ultrasound."),  # the more probable region
        ([CT, "C0205207", "C0444611"], "CT."),  # qualifiers are not said
        ([CT, CT, PNEUMONIA, PNEUMONIA], "CT showing pneumonia."),
    ],
)
def test_concepts_become_captions(cuis: list[str], caption: str) -> None:
    assert sentence(facts_of(cuis, {})) == caption


def test_no_more_than_four_findings() -> None:
    many = [cui for cui in KNOWN if role_of(cui) is Role.FINDING][:30]
    facts = facts_of([CT, *many], {})
    assert len(facts.findings) == MOST_FINDINGS
    assert set(facts.findings) <= {phrase_of(cui) for cui in many}


def test_other_concepts_fall_back_on_the_vocabulary() -> None:
    # a disease, a device, an organ, a drug, nothing at all
    assert (role_of("C0038257"), phrase_of("C0038257")) == (Role.FINDING, "stent")
    assert (role_of("C1258215"), phrase_of("C1258215")) == (Role.FINDING, "ileus")
    assert (role_of("C0009368"), phrase_of("C0009368")) == (Role.REGION, "colon")
    assert role_of("C0004057") is Role.OTHER
    assert (role_of("C9999999"), phrase_of("C9999999")) == (Role.OTHER, "")
    assert sentence(facts_of([CT, "C0009368", "C1258215"], {})) == "CT of the colon showing ileus."


def test_given_names_come_first() -> None:
    names = {"C1258215": "Ileus, Adynamic", "C9999999": "A finding of ours"}
    assert facts_of([CT, "C1258215", "C9999999"], names) == Facts("CT", findings=("adynamic ileus",))
    assert role_of("C9999999", "A finding of ours") is Role.OTHER  # nobody knows what it is


def test_the_linker_finds_what_was_said() -> None:
    findings = [cui for cui in KNOWN if role_of(cui) is Role.FINDING]
    found = [cui for cui in findings if cui in {one.cui for one in link(sentence(facts_of([cui], {})))}]
    assert len(findings) == 195
    assert len(found) == len(findings)


@given(st.lists(st.sampled_from(KNOWN), max_size=9), st.text(max_size=5))
def test_any_labels_give_a_caption_of_their_words(cuis: list[str], key: str) -> None:
    said = sentence(facts_of(cuis, {}), key)
    assert said[0].isupper()
    assert said.endswith(".")
    findings = {phrase_of(cui) for cui in cuis if role_of(cui) is Role.FINDING}
    assert set(facts_of(cuis, {}).findings) <= findings
    assert bool(facts_of(cuis, {}).findings) == bool(findings)
