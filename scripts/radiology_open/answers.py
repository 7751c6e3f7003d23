"""What answers to questions about an image say of it (VQA-Med 2019).

Invariant: an answer says no more than it was asked for. That an image is not T1-weighted does not say what it
is; that no contrast was given by mouth does not say that none was given.
>>> told = facts_of_answers([("was the ct scan taken with contrast?", "no"), ("what plane?", "axial")], "CT")
>>> told.contrast, told.plane
(<Contrast.NONE: 'none'>, 'axial')
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from radcap.captioning.grammar import Contrast, Facts
from radiology_open.diagnoses import findings, plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# The modality as the collection codes it, where no answer tells more.
FAMILIES: Mapping[str, str] = {
    "CT": "CT",
    "MR": "MRI",
    "XR": "radiograph",
    "US": "ultrasound",
    "AN": "angiogram",
    "MG": "mammogram",
    "FL": "fluoroscopy",
    "NM": "scintigraphy",
    "PET": "PET",
}
_CONTRASTS: Mapping[str, Contrast] = {
    "iv": Contrast.INTRAVENOUS,
    "gi": Contrast.GASTROINTESTINAL,
    "gi and iv": Contrast.GASTROINTESTINAL_AND_INTRAVENOUS,
    "contrast": Contrast.USED,
    "noncontrast": Contrast.NONE,
    "noncontrast (mri)": Contrast.NONE,
}
_MODALITIES: Mapping[str, Facts] = {
    "xr - plain film": Facts("radiograph"),
    "us - ultrasound": Facts("ultrasound"),
    "us-d - doppler ultrasound": Facts("Doppler ultrasound"),
    "an - angiogram": Facts("angiogram"),
    "venogram": Facts("venogram"),
    "cta - ct angiography": Facts("CT angiogram"),
    "mra - mr angiography/venography": Facts("MR angiogram"),
    "mammograph": Facts("mammogram"),
    "nm - nuclear medicine": Facts("scintigraphy"),
    "pet - positron emission": Facts("PET"),
    "pet-ct fusion": Facts("PET/CT"),
    "bas - barium swallow": Facts("barium swallow"),
    "ugi - upper gi": Facts("upper GI series"),
    "be - barium enema": Facts("barium enema"),
    "sbft - small bowel": Facts("small bowel series"),
    "ct noncontrast": Facts("CT", contrast=Contrast.NONE),
    "ct with iv contrast": Facts("CT", contrast=Contrast.INTRAVENOUS),
    "ct w/contrast (iv)": Facts("CT", contrast=Contrast.INTRAVENOUS),
    "ct with gi contrast": Facts("CT", contrast=Contrast.GASTROINTESTINAL),
    "ct with gi and iv contrast": Facts("CT", contrast=Contrast.GASTROINTESTINAL_AND_INTRAVENOUS),
    "ct (with gi and iv contrast)": Facts("CT", contrast=Contrast.GASTROINTESTINAL_AND_INTRAVENOUS),
    "ct - gi & iv contrast": Facts("CT", contrast=Contrast.GASTROINTESTINAL_AND_INTRAVENOUS),
    "ct - myelogram": Facts("CT myelogram"),
    "mr - t1w - noncontrast": Facts("MRI", "T1-weighted", Contrast.NONE),
    "mr - t1w w/gadolinium": Facts("MRI", "T1-weighted", Contrast.GADOLINIUM),
    "mr - t1w w/gd (fat suppressed)": Facts("MRI", "fat-suppressed T1-weighted", Contrast.GADOLINIUM),
    "mr - t2 weighted": Facts("MRI", "T2-weighted"),
    "mr t2* gradient,gre,mpgr,swan,swi": Facts("MRI", "gradient-echo"),
    "mr - flair": Facts("MRI", "FLAIR"),
    "mr - flair w/gd": Facts("MRI", "FLAIR", Contrast.GADOLINIUM),
    "mr - dwi diffusion weighted": Facts("MRI", "diffusion-weighted"),
    "mr - adc map (app diff coeff)": Facts("ADC map"),
    "mr - pdw proton density": Facts("MRI", "proton density-weighted"),
    "mr - stir": Facts("MRI", "STIR"),
    "mr - fiesta": Facts("MRI", "FIESTA"),
    "mr - other pulse seq.": Facts("MRI"),
}
_SEQUENCES: Mapping[str, str] = {"t1": "T1-weighted", "t2": "T2-weighted", "flair": "FLAIR"}
_VIEWS: Mapping[str, str] = {
    "ap": "AP",
    "pa": "PA",
    "3d reconstruction": "3D",
    "mammo - cc": "craniocaudal",
    "mammo - xcc": "exaggerated craniocaudal",
    "mammo - mag cc": "magnification craniocaudal",
    "mammo - mlo": "mediolateral oblique",
}
_ORGANS: Mapping[str, str] = {
    "skull and contents": "brain",
    "lung, mediastinum, pleura": "chest",
    "spine and contents": "spine",
    "face, sinuses, and neck": "face, sinuses and neck",
    "gastrointestinal": "abdomen",
    "gastrointestinal#lung, mediastinum, pleura": "chest and abdomen",
    "genitourinary": "genitourinary tract",
    "heart and great vessels": "heart and great vessels",
    "musculoskeletal": "musculoskeletal system",
    "vascular and lymphatic": "",  # anywhere in the body
    "breast": "breast",
}
_HEADS: Mapping[str, str] = {"CT": "head", "ultrasound": "head", "radiograph": "skull"}
_SWALLOWED = frozenset(("barium swallow", "upper GI series", "small bowel series", "barium enema"))
_PROJECTIONS = _SWALLOWED | {"radiograph", "fluoroscopy", "angiogram", "venogram"}
_SECTIONS = frozenset(("CT", "MRI", "ADC map", "CT angiogram", "MR angiogram", "CT myelogram"))
# Diseases filed under the digestive tract that lie above the abdomen.
_ABOVE = re.compile(
    r"esophag|achalasia|zenker|killian|pharyng|hiat|morgagni|foregut|bronchogenic|boerhaave|swallowed|coin"
    r"|osteomyelitis|melanoma|breast"
)
_ORGAN = re.compile(r"\borgans?\b|part of the body")
_NORMAL = re.compile(r"\bnormal\b")
_WRONG = re.compile(r"\babnormalit(?:y|ies)\b|something wrong")
_WHICH = re.compile(r"abnormal|alarming")
_YES, _NO = "yes", "no"


def facts_of_answers(pairs: Iterable[tuple[str, str]], family: str, region: str = "") -> Facts:
    """The facts of an image from questions and answers, and from the code of its modality.

    The region is that of its labels, which counts where nobody was asked.
    """
    facts = Facts(FAMILIES[family], region=region)
    for question, answer in pairs:
        facts = _told(facts, plain(question), plain(answer))
    return sensible(facts)


def _told(facts: Facts, question: str, answer: str) -> Facts:
    if "plane" in question:
        return replace(facts, plane=_VIEWS.get(answer, answer))
    if _ORGAN.search(question):
        return replace(facts, region=_ORGANS[answer])
    if answer in (_YES, _NO):
        return _confirmed(facts, question, yes=answer == _YES)
    if _WHICH.search(question):
        return replace(facts, findings=facts.findings + findings(answer))
    return _imaged(facts, answer)


def _confirmed(facts: Facts, question: str, *, yes: bool) -> Facts:
    """What yes or no to a question says; a question that is not known says nothing."""
    if _WRONG.search(question):
        return replace(facts, normal=not yes)
    if _NORMAL.search(question):
        return replace(facts, normal=yes)
    if "t1 weighted" in question or "t2 weighted" in question:
        sequence = "T1-weighted" if "t1" in question else "T2-weighted"
        return replace(facts, sequence=sequence) if yes else facts
    return _contrasted(facts, question, yes=yes)


def _contrasted(facts: Facts, question: str, *, yes: bool) -> Facts:
    if "iv contrast" in question:
        return replace(facts, contrast=Contrast.INTRAVENOUS) if yes else facts
    if "gi contrast" in question:
        return replace(facts, contrast=Contrast.GASTROINTESTINAL) if yes else facts
    if "noncontrast" in question:
        return replace(facts, contrast=Contrast.NONE if yes else Contrast.USED)
    if "with contrast" in question:
        return replace(facts, contrast=Contrast.USED if yes else Contrast.NONE)
    return facts


def _imaged(facts: Facts, answer: str) -> Facts:
    """The modality, or a part of it, that an answer names."""
    if answer in _SEQUENCES:
        return replace(facts, sequence=_SEQUENCES[answer])
    if answer in _CONTRASTS:
        return replace(facts, contrast=_CONTRASTS[answer])
    named = _MODALITIES[answer]
    return replace(facts, modality=named.modality, sequence=named.sequence, contrast=named.contrast)


def sensible(facts: Facts) -> Facts:
    """The facts in the words that go with each other: a head has CT, a skull has radiographs."""
    region, plane = facts.region, facts.plane
    if region == "brain":
        region = _HEADS.get(facts.modality, region)
    if region == "abdomen" and any(map(_ABOVE.search, map(str.lower, facts.findings))):
        region = "gastrointestinal tract"
    if facts.modality in _SWALLOWED:
        region = ""  # the name of the study says it
    if facts.modality == "mammogram" and region == "breast":
        region = ""
    if facts.modality in _SECTIONS:
        # the frontal plane is the coronal one; a section has no projection
        plane = {"frontal": "coronal", "AP": "", "PA": "", "lateral": "", "decubitus": ""}.get(plane, plane)
    if facts.modality in _PROJECTIONS:
        plane = {"sagittal": "lateral", "coronal": "frontal", "transverse": ""}.get(plane, plane)
    if plane.endswith(("craniocaudal", "mediolateral oblique")):
        return replace(facts, modality="mammogram", region="", plane=plane)
    return replace(facts, region=region, plane=plane)
