"""Captions from facts: exact examples, and what holds for any facts."""

from __future__ import annotations

import re
import string
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from radcap.captioning.grammar import Contrast, Facts, sentence
from radcap.captioning.grammar.articles import with_article
from radcap.captioning.grammar.choosing import chosen
from radcap.captioning.grammar.phrases import cased, phrase
from radcap.captioning.grammar.wording import words
from radcap.core import UsageError

IV = Contrast.INTRAVENOUS

PLAINEST = [
    (Facts(), "Radiology image."),
    (Facts("radiograph"), "Radiograph."),
    (Facts("radiograph", region="chest"), "Chest radiograph."),
    (Facts("radiograph", plane="PA", region="chest", normal=True), "PA chest radiograph. No abnormality."),
    (
        Facts("radiograph", plane="AP", region="chest", normal=False),
        "AP chest radiograph showing an abnormality.",
    ),
    (Facts(region="chest", findings=("pneumonia",)), "Chest radiology image showing pneumonia."),
    (
        Facts("CT", contrast=IV, plane="axial", region="abdomen", findings=("acute appendicitis",)),
        "Axial CT of the abdomen with intravenous contrast showing acute appendicitis.",
    ),
    (
        Facts("MRI", "T2-weighted", plane="sagittal", region="spine", findings=("ependymoma",)),
        "Sagittal T2-weighted MRI of the spine showing an ependymoma.",
    ),
    (
        Facts("MRI", "T1-weighted", Contrast.GADOLINIUM, "coronal", "brain", ("glioblastoma multiforme",)),
        "Coronal T1-weighted MRI of the brain with gadolinium showing a glioblastoma multiforme.",
    ),
    (
        Facts("CT", contrast=Contrast.NONE, region="head", findings=("subdural hematoma",)),
        "CT of the head without contrast showing a subdural hematoma.",
    ),
    (Facts("MRI", contrast=Contrast.USED, region="knee"), "MRI of the knee with contrast."),
    (Facts("CT", contrast=Contrast.ORAL), "CT with oral contrast."),
    (
        Facts("CT", contrast=Contrast.GASTROINTESTINAL_AND_INTRAVENOUS, region="pelvis"),
        "CT of the pelvis with gastrointestinal and intravenous contrast.",
    ),
    (
        Facts("angiogram", region="coronary arteries", findings=("stenosis",)),
        "Coronary angiogram showing stenosis.",
    ),
    (Facts("angiogram", plane="lateral", region="brain"), "Lateral cerebral angiogram."),
    (Facts("CT angiogram", plane="axial", region="chest"), "Axial thoracic CT angiogram."),
    (Facts("angiogram", region="left knee"), "Angiogram of the left knee."),
    (Facts("CT", plane="3D", region="head"), "3D CT reconstruction of the head."),
    (Facts("mammogram", plane="craniocaudal", findings=("mass",)), "Craniocaudal mammogram showing a mass."),
    (
        Facts("barium swallow", plane="lateral", findings=("Zenker diverticulum",)),
        "Lateral barium swallow showing a Zenker diverticulum.",
    ),
    (Facts("upper GI series", findings=("hiatal hernia",)), "Upper GI series showing a hiatal hernia."),
    (Facts("ultrasound", plane="transverse", region="neck"), "Transverse ultrasound of the neck."),
    (Facts("Doppler ultrasound", region="genitourinary tract"), "Genitourinary Doppler ultrasound."),
    (Facts("scintigraphy", region="musculoskeletal system"), "Musculoskeletal scintigraphy."),
    (Facts("PET/CT", region="chest"), "Chest PET/CT scan."),
    (Facts("ADC map", plane="axial", region="brain"), "Axial MR ADC map of the brain."),
    (Facts("endoscopic image", region="stomach"), "Endoscopic image of the stomach."),
    (
        Facts("CT", findings=("gallstones", "pericholecystic fluid")),
        "CT showing gallstones and pericholecystic fluid.",
    ),
    (Facts("CT", findings=("mass", "ascites", "effusion")), "CT showing a mass, ascites and an effusion."),
    (Facts("CT", findings=("mass", "lung mass", "Mass")), "CT showing a lung mass."),
    (Facts("CT", findings=("pneumonia", "COVID-19")), "CT showing COVID-19 pneumonia."),
    (
        Facts("CT", findings=("COVID-19", "effusion", "pneumonia")),
        "CT showing COVID-19 pneumonia and an effusion.",
    ),
    (Facts("CT", findings=("  a \n mass. ", "", " . ")), "CT showing a mass."),
    (Facts("CT", findings=(" . ",)), "CT."),
]


@pytest.mark.parametrize(("facts", "caption"), PLAINEST, ids=[caption for _, caption in PLAINEST])
def test_without_a_key_the_plainest_is_said(facts: Facts, caption: str) -> None:
    assert sentence(facts) == caption
    assert sentence(facts, "") == caption


def test_keys_choose_among_a_few_patterns() -> None:
    facts = Facts("CT", contrast=IV, plane="axial", region="abdomen", findings=("renal cyst",))
    said = Counter(sentence(facts, f"image-{number}") for number in range(800))
    assert said.most_common(1)[0][0] == sentence(facts)
    # four patterns, two nouns, two places of the region, two of the contrast
    assert set(said) == {
        pattern.format(f"xial {enhanced}{region}".replace("CT", noun) + medium)
        for enhanced, medium in (("", " with intravenous contrast"), ("contrast-enhanced ", ""))
        for region in ("CT of the abdomen", "abdominal CT")
        for noun, article in (("CT", "a"), ("CT scan", "an a"))
        for pattern in (
            "A{} showing a renal cyst.",
            "A{} shows a renal cyst.",
            "A{} demonstrates a renal cyst.",
            f"Renal cyst on {article}{{}}.",
        )
    }


def test_normal_images_have_their_patterns() -> None:
    facts = Facts("radiograph", plane="PA", region="chest", normal=True)
    said = {sentence(facts, str(number)) for number in range(400)}
    assert {one for one in said if "X-ray" not in one and "of the" not in one} == {
        "PA chest radiograph. No abnormality.",
        "PA chest radiograph showing no abnormality.",
        "Normal PA chest radiograph.",
        "No abnormality on a PA chest radiograph.",
    }


def test_abnormal_images_without_a_finding_have_theirs() -> None:
    said = {sentence(Facts("barium enema", normal=False), str(number)) for number in range(50)}
    assert said == {"Barium enema showing an abnormality.", "Abnormal barium enema."}


def test_choices_do_not_change_between_runs() -> None:
    ways = ["a", "b", "c", "d"]
    assert [chosen(str(n), "noun", ways) for n in range(12)] == list("bccdcbcbccbd")
    assert chosen("", "noun", ways) == "a"


def test_normal_images_have_no_findings() -> None:
    with pytest.raises(UsageError, match="The facts say normal, and name 'mass'"):
        Facts("CT", findings=("mass",), normal=True)


@pytest.mark.parametrize(
    ("bare", "said"),
    [
        ("", ""),
        ("mass", "a mass"),
        ("aneurysm of the aorta", "an aneurysm of the aorta"),
        ("arachnoid cyst, large", "an arachnoid cyst, large"),
        ("cyst (renal) of", "a cyst (renal) of"),
        ("masses in the liver", "masses in the liver"),
        ("multiple sclerosis plaque", "multiple sclerosis plaque"),
        ("bilateral pleural effusion", "bilateral pleural effusion"),
        ("meningioma", "a meningioma"),
        ("meningiomas", "meningiomas"),
        ("lymphoma", "lymphoma"),
        ("cephalocele", "a cephalocele"),
        ("ureteral stone", "a ureteral stone"),
        ("unicameral bone cyst", "a unicameral bone cyst"),
        ("Ewing tumor", "a Ewing tumor"),
        ("MCA infarct", "an MCA infarct"),
        ("PICC line", "a PICC line"),
        ("CT scan", "a CT scan"),
        ("L1 fracture", "an L1 fracture"),
        ("T4 fracture", "a T4 fracture"),
        ("X-ray", "an X-ray"),
        ("8 cm mass", "an 8 cm mass"),
        ("hourglass deformity", "an hourglass deformity"),
        ("of unknown kind", "of unknown kind"),
    ],
)
def test_articles(bare: str, said: str) -> None:
    assert with_article(bare) == said


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Hematoma, Subdural", "subdural hematoma"),
        ("Acute appendicitis NOS (disorder)", "acute appendicitis"),
        ("Structure of right upper lobe of lung", "right upper lobe of lung"),
        ("Inferior vena cava structure", "inferior vena cava"),
        ("Left ventricular structure", "left ventricular structure"),
        ("Bone structure of calcaneum", "calcaneum"),
        ("Entire portal vein", "portal vein"),
        ("Stent, device", "stent"),
        ("Crohn Disease", "Crohn disease"),
        ("HIV infection", "HIV infection"),
        ("B-Cell Lymphoma", "B-cell lymphoma"),
        ("T2 Lesion", "T2 lesion"),
        ("A Lesion 55", "a lesion 55"),
        ("Carcinoma, lung, metastatic", "carcinoma, lung, metastatic"),
        ("who grade iii astrocytoma", "WHO grade III astrocytoma"),
        ("chiari i malformation", "Chiari I malformation"),
        ("fracture at c5-c6", "fracture at C5-C6"),
        ("mRNA decay", "mRNA decay"),
        ("structure of", "structure of"),
        ("Mass,", "mass"),
        ("  Two \n lines ", "two lines"),
        ("", ""),
    ],
)
def test_names_become_phrases(name: str, said: str) -> None:
    assert phrase(name) == said


def test_case_is_only_that_of_the_list() -> None:
    assert cased("LANGERHANS") == "LANGERHANS"  # an abbreviation, as far as anybody can tell
    assert cased("langerhans Cell") == "Langerhans cell"


@given(st.text(max_size=60))
def test_any_name_is_a_phrase_on_one_line(name: str) -> None:
    said = phrase(name)
    assert said == " ".join(said.split())
    assert len(said) <= len(name) + name.count(",")  # the comma of an inversion may cost a blank
    assert not said.endswith((".", ",", ";", ":"))


# Any facts.

WORD = st.text(string.ascii_lowercase, min_size=2, max_size=9)
PHRASES = st.lists(WORD, min_size=1, max_size=3).map(" ".join)
FACTS = st.builds(
    lambda facts, normal, findings: replace(facts, normal=normal, findings=() if normal else findings),
    st.builds(
        Facts,
        st.sampled_from(["", *words().modalities]) | WORD,
        st.sampled_from(["", "T2-weighted", "FLAIR"]),
        st.sampled_from(Contrast),
        st.sampled_from(["", "axial", "PA", "3D"]) | WORD,
        st.sampled_from(["", *words().regions]) | PHRASES,
    ),
    st.none() | st.booleans(),
    st.lists(PHRASES, max_size=4).map(tuple),
)
KEYS = st.text(max_size=8)
GRAMMAR = {"showing", "shows", "demonstrates", "on", "and", "a", "an", "of", "the"}


@given(FACTS, KEYS)
def test_any_facts_give_one_tidy_caption(facts: Facts, key: str) -> None:
    said = sentence(facts, key)
    assert said == sentence(facts, key)
    assert said[0] == said[0].upper()
    assert said.endswith(".")
    assert said.count(".") == 1 + said.count(". No abnormality")
    assert not re.search(r"\s\s|\s[.,]|[\n\r\t]", said)


@given(st.lists(PHRASES.map(lambda one: f"q{one}"), min_size=1, max_size=5), KEYS)
def test_every_finding_is_said_once(findings: list[str], key: str) -> None:
    said = re.sub("[.,]", " ", sentence(Facts("CT", findings=tuple(findings)), key)).lower()
    spaced = f" {' '.join(said.split())} "
    for finding in findings:
        longer = {one for one in findings if f" {finding} " in f" {one} "}
        if len(longer) == 1:  # no other one holds it
            assert spaced.count(f" {finding} ") == 1
        else:
            assert f" {finding} " in spaced


@given(FACTS, KEYS)
def test_nothing_is_said_that_is_not_a_fact(facts: Facts, key: str) -> None:
    known = words()
    region = known.regions.get(facts.region)
    given_words = " ".join(
        (
            *known.modalities.get(facts.modality, (facts.modality,)),
            *known.contrast.get(facts.contrast, ()),
            *((region.before, region.vessels) if region else ()),
            *("reconstruction" if facts.plane == "3D" else "",),
            *("no abnormality normal" if facts.normal else "",),
            *("abnormal abnormality" if facts.normal is False and not facts.findings else "",),
            facts.sequence,
            facts.plane,
            facts.region,
            *facts.findings,
        )
    )
    allowed = {word.strip(".,").lower() for word in given_words.split()} | GRAMMAR
    assert {word.strip(".,").lower() for word in sentence(facts, key).split()} <= allowed
