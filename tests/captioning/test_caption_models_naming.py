"""What a caption names: modalities by their words, findings by the vocabulary."""

from __future__ import annotations

import pytest

from radcap.captioning.grammar import Contrast, Facts, Role, facts_of, sentence
from radcap.captioning.grammar.concepts import known_concepts
from radcap.captioning.naming import claims, finding_phrases, findings_named, modalities_named

CT, MRI, XRAY, US, ANGIO = "C0040405", "C0024485", "C1306645", "C0041618", "C0002978"
PET, SCINTI, OCT, PET_CT = "C0032743", "C0034606", "C0920367", "C1699633"
NAMED = [
    ("Axial CT of the chest.", {CT}),
    ("axial ct of the chest", {CT}),
    ("CT angiogram of the aorta", {CT}),
    ("CT pulmonary angiography", {CT}),
    ("CTA", {CT}),
    ("High-resolution CT (HRCT)", {CT}),
    ("Computed tomography", {CT}),
    ("computerised tomography", {CT}),
    ("CT-guided biopsy", {CT}),
    ("Serial CTs", {CT}),
    ("MR angiogram of the neck", {MRI}),
    ("MRA", {MRI}),
    ("MRCP", {MRI}),
    ("Magnetic resonance image", {MRI}),
    ("T2-weighted image", {MRI}),
    ("T2 weighted image", {MRI}),
    ("T2*-weighted", {MRI}),
    ("proton-density-weighted", {MRI}),
    ("sagittal T1", {MRI}),
    ("FLAIR", {MRI}),
    ("ADC map", {MRI}),
    ("coronal STIR", {MRI}),
    ("Seen on MR.", {MRI}),
    ("Mr. Smith", set()),
    ("do not stir", set()),
    ("disc between T1-T2", set()),
    ("fusion of C7-T1", set()),
    ("fracture of the T1 vertebra", set()),
    ("Chest radiograph", {XRAY}),
    ("chest radiography", {XRAY}),
    ("X-ray", {XRAY}),
    ("xray", {XRAY}),
    ("X ray", {XRAY}),
    ("Two x-rays", {XRAY}),
    ("Mammogram", {XRAY}),
    ("mammography", {XRAY}),
    ("barium enema", {XRAY}),
    ("fluoroscopic image", {XRAY}),
    ("upper GI series", {XRAY}),
    ("Plain film", {XRAY}),
    ("Ultrasound", {US}),
    ("ultrasonography", {US}),
    ("sonogram", {US}),
    ("color Doppler", {US}),
    ("echocardiogram", {US}),
    ("US of the liver", {US}),
    ("as told by us", set()),
    ("Angiogram", {ANGIO}),
    ("digital subtraction angiography (DSA)", {ANGIO}),
    ("venogram", {ANGIO}),
    ("cholangiogram", set()),
    ("PET", {PET}),
    ("positron emission tomography", {PET}),
    ("petrous bone", set()),
    ("PET/CT", {PET_CT}),
    ("FDG PET-CT", {PET_CT}),
    ("PET CT", {PET_CT}),
    ("PET/CT beside an earlier CT", {PET_CT, CT}),
    ("PET and CT", {PET, CT}),
    ("bone scan", {SCINTI}),
    ("scintigraphy", {SCINTI}),
    ("SPECT", {SCINTI}),
    ("lateral aspect", set()),
    ("OCT of the macula", {OCT}),
    ("Optical coherence tomography", {OCT}),
    ("octreotide, a doctor, an octagon", set()),
    ("with intravenous contrast", set()),
    ("an act of contraction", set()),
    ("CT and MRI", {CT, MRI}),
    ("radiograph and angiogram", {XRAY, ANGIO}),
    ("", set()),
]


@pytest.mark.parametrize(("text", "named"), NAMED, ids=[text or "nothing" for text, _ in NAMED])
def test_modalities_are_known_by_their_words(text: str, named: set[str]) -> None:
    assert modalities_named(text) == named


MODALITIES = [cui for cui, one in known_concepts().items() if one.role is Role.MODALITY]


@pytest.mark.parametrize("cui", MODALITIES)
def test_the_words_of_the_grammar_name_the_modality_that_they_stand_for(cui: str) -> None:
    phrase = facts_of([cui], {}).modality
    for key in ("", *map(str, range(8))):
        said = sentence(Facts(phrase, plane="axial", region="brain", contrast=Contrast.USED), key)
        assert modalities_named(said) == {cui}, said


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Chest radiograph with a pneumothorax.", {"C0032326"}),
        ("Chest radiograph without pneumothorax.", set()),
        ("Pneumothorax, no pleural effusion.", {"C0032326"}),
        ("No pneumothorax. Pleural effusion.", {"C0032227"}),
        ("Normal chest radiograph.", set()),
        ("CT of the liver.", set()),  # a region is no finding
        ("", set()),
    ],
)
def test_a_finding_that_is_negated_is_not_named(text: str, named: set[str]) -> None:
    assert findings_named(text) == named


def test_claims_are_findings_and_modalities() -> None:
    assert claims("Axial CT showing a pleural effusion in the chest.") == {CT, "C0032227"}


def test_phrases_are_the_words_by_which_captions_name_findings() -> None:
    found = finding_phrases(
        ["Pleural effusion on CT.", "A large pleural effusion.", "No pneumothorax.", "Normal."]
    )
    assert found == {"C0032227": ("Pleural effusion", "pleural effusion")}
