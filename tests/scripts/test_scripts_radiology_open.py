"""The parts that compose the captions of the bundled dataset."""

from __future__ import annotations

import csv
import re
from collections import Counter

import pytest
from script_files import SCRIPTS, script

from radcap.captioning.grammar import Contrast, Facts, sentence
from radcap.datasets import CaptionSource, load_dataset

answers, composing, diagnoses, labels = (
    script(f"radiology_open.{one}") for one in ("answers", "composing", "diagnoses", "labels")
)


def told(*pairs: tuple[str, str], family: str = "MR", region: str = "") -> Facts:
    return answers.facts_of_answers(pairs, family, region)


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ("Arteriovenous malformation (AVM)", ("arteriovenous malformation",)),
        ("astrocytoma, low-grade (who 2), supratentorial", ("low-grade supratentorial astrocytoma",)),
        ("dural \xa0fistula, avf", ("dural arteriovenous fistula",)),
        ("brain, cerebral abscess", ("cerebral abscess",)),
        ("crohn\u2019s disease", ("Crohn's disease",)),
        ("pe", ("pulmonary embolism",)),
        ("ectopic pregnancy.", ("ectopic pregnancy",)),
        ("deep venous thrombosis?", ("deep venous thrombosis",)),
        ("burst fracture of l1", ("burst fracture of L1",)),
        ("langerhan cell histiocytosis", ("Langerhans cell histiocytosis",)),
        ("pilomyxoid astrocytoma (pma), who grade 2", ("WHO grade 2 pilomyxoid astrocytoma",)),
        ("deep venous thrombosis and pulmonary embolism", ("deep venous thrombosis", "pulmonary embolism")),
        ("usuhs faculty senate, education committee, 2010-2011", ()),
    ],
)
def test_diagnoses_are_tidied(answer: str, found: tuple[str, ...]) -> None:
    assert diagnoses.findings(answer) == found


@pytest.mark.parametrize(
    ("question", "answer", "facts"),
    [
        ("is this a t1 weighted image?", "yes", Facts("MRI", "T1-weighted")),
        ("is this a t1 weighted image?", "no", Facts("MRI")),  # does not say T2
        ("is this a t2 weighted image?", "no", Facts("MRI")),
        ("is this a t1 weighted, t2 weighted, or flair image?", "flair", Facts("MRI", "FLAIR")),
        ("what is the mr weighting in this image?", "t2", Facts("MRI", "T2-weighted")),
        ("was the mri taken with contrast?", "yes", Facts("MRI", contrast=Contrast.USED)),
        ("was the ct scan taken with contrast?", "no", Facts("MRI", contrast=Contrast.NONE)),
        ("is this a noncontrast mri?", "no", Facts("MRI", contrast=Contrast.USED)),
        ("is this a noncontrast ct?", "yes", Facts("MRI", contrast=Contrast.NONE)),
        ("is this a contrast or noncontrast ct?", "noncontrast", Facts("MRI", contrast=Contrast.NONE)),
        ("was iv contrast given to the patient?", "yes", Facts("MRI", contrast=Contrast.INTRAVENOUS)),
        ("was iv contrast given to the patient?", "no", Facts("MRI")),  # it may have been given otherwise
        ("was gi contrast given to the patient?", "no", Facts("MRI")),
        ("was gi contrast given to the patient?", "yes", Facts("MRI", contrast=Contrast.GASTROINTESTINAL)),
        (
            "what type of contrast did this patient have?",
            "gi",
            Facts("MRI", contrast=Contrast.GASTROINTESTINAL),
        ),
        ("is this an mri image?", "yes", Facts("MRI")),
        ("is this a ct scan?", "no", Facts("MRI")),
        ("is this a normal mri?", "yes", Facts("MRI", normal=True)),
        ("does this image look normal?", "no", Facts("MRI", normal=False)),
        ("is there evidence of any abnormalities?", "no", Facts("MRI", normal=True)),
        ("is there an abnormality in the mri?", "yes", Facts("MRI", normal=False)),
        ("is there something wrong in the image?", "no", Facts("MRI", normal=True)),
        ("what is abnormal in the mri?", "meningioma", Facts("MRI", findings=("meningioma",))),
        ("what is most alarming about this mri?", "Meningioma", Facts("MRI", findings=("meningioma",))),
        (
            "what kind of image is this?",
            "mr - t1w w/gadolinium",
            Facts("MRI", "T1-weighted", Contrast.GADOLINIUM),
        ),
        ("how is the image taken?", "us-d - doppler ultrasound", Facts("Doppler ultrasound")),
        ("what plane is this?", "mammo - mlo", Facts("mammogram", plane="mediolateral oblique")),
        ("what plane is this?", "3d reconstruction", Facts("MRI", plane="3D")),
        ("what plane is this?", "frontal", Facts("MRI", plane="coronal")),
        ("what plane is this?", "ap", Facts("MRI")),  # a section has no projection
        ("what organ system is imaged?", "skull and contents", Facts("MRI", region="brain")),
        ("what part of the body is being imaged?", "vascular and lymphatic", Facts("MRI")),
    ],
)
def test_answers_say_what_was_asked(question: str, answer: str, facts: Facts) -> None:
    assert told((question, answer)) == facts


@pytest.mark.parametrize(
    ("family", "region", "pairs", "caption"),
    [
        ("CT", "", [("what organ?", "skull and contents")], "CT of the head."),
        (
            "XR",
            "",
            [("what organ?", "skull and contents"), ("what plane?", "sagittal")],
            "Lateral radiograph of the skull.",
        ),
        ("AN", "", [("what organ?", "skull and contents"), ("what plane?", "pa")], "PA cerebral angiogram."),
        (
            "CT",
            "",
            [("what organ?", "gastrointestinal"), ("what is abnormal?", "diverticulitis")],
            "CT of the abdomen showing diverticulitis.",
        ),
        (
            "CT",
            "",
            [("what organ?", "gastrointestinal"), ("what is abnormal?", "achalasia")],
            "CT of the gastrointestinal tract showing achalasia.",
        ),
        ("FL", "abdomen", [("what kind of image?", "be - barium enema")], "Barium enema."),
        ("MG", "", [("what organ?", "breast")], "Mammogram."),
        ("MR", "spine", [("what plane?", "axial")], "Axial MRI of the spine."),
        ("MR", "spine", [("what organ?", "breast")], "Breast MRI."),
    ],
)
def test_regions_go_with_modalities(
    family: str, region: str, pairs: list[tuple[str, str]], caption: str
) -> None:
    assert sentence(told(*pairs, family=family, region=region)) == caption


CHEST_XRAY = ["C1306645", "C0817096"]
ARTERIES = ["C0002978", "C0205042", "C1261082"]


@pytest.mark.parametrize(
    ("facts", "caption"),
    [
        (labels.chest_facts(CHEST_XRAY, "set/No_findings/1.png"), "Chest radiograph. No abnormality."),
        (labels.chest_facts(CHEST_XRAY, "images/1.png"), "Chest radiograph."),
        # leukemia is the history of the patient
        (
            labels.chest_facts([*CHEST_XRAY, "C0023467", "C0032285"], ""),
            "Chest radiograph showing pneumonia.",
        ),
        (labels.lung_facts(["C0041618", "C0817096"], "videos/Reg_1.mp4"), "Lung ultrasound. No abnormality."),
        (labels.lung_facts(["C0041618", "C0817096"], "videos/Cov_1.mp4"), "Lung ultrasound."),
        (labels.lung_facts(["C0041618", "C0032227"], "Reg"), "Lung ultrasound showing a pleural effusion."),
        (
            labels.other_facts([*ARTERIES, "C1947917"], ""),
            "Angiogram of the left coronary artery showing an occlusion.",
        ),
        (
            labels.other_facts([*ARTERIES, "C0226032", "C0226037"], ""),
            "Angiogram of the left anterior descending and circumflex coronary arteries.",
        ),
    ],
)
def test_labels_say_what_an_image_can_show(facts: Facts, caption: str) -> None:
    assert sentence(facts) == caption


def row(
    source: str, image_id: str = "x", modality: str = "CT", path: str = "", **more: object
) -> dict[str, object]:
    return {
        "image_id": image_id,
        "source": source,
        "modality": modality,
        "source_path": path,
        "cui": [],
    } | more


def test_each_source_has_its_way() -> None:
    asked = [("what is abnormal in the ct scan?", "acute appendicitis"), ("what plane?", "axial")]
    one = composing.facts_of_image(row("VQA-Med-2019", cui=["C0040405", "C0000726"]), asked)
    assert one == Facts("CT", plane="axial", region="abdomen", findings=("acute appendicitis",))
    assert composing.composed(row("VQA-Med-2019", ""), asked) == "Axial CT showing acute appendicitis."
    assert composing.composed(row("ARCADE", "", cui=ARTERIES), ()) == "Angiogram of the left coronary artery."
    read = composing.facts_of_image(
        row("VQA-RAD", "RadBench_train_000021", "MR", cui=["C0024485", "C0006104"]), ()
    )
    assert (read.modality, read.sequence, read.plane, read.region) == ("ADC map", "", "axial", "brain")


def test_pairs_are_read_by_image(tmp_path) -> None:
    (tmp_path / "qa.csv").write_text("\ufeffID,Question,Answer\na,q1,x\nb,q2,y\na,q3,z\n", "utf-8")
    assert composing.read_pairs(tmp_path / "qa.csv") == {"a": [("q1", "x"), ("q3", "z")], "b": [("q2", "y")]}


def test_tables_hold_each_line_once() -> None:
    for name, column, lines in (("diagnoses", "answer", None), ("vqa_rad", "image_id", 195)):
        with (SCRIPTS / "radiology_open" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        keys = Counter(diagnoses.plain(one[column]) for one in rows)
        assert [key for key, times in keys.items() if times > 1] == []
        assert lines in (None, len(rows))
        assert all(None not in one and None not in one.values() for one in rows)


@pytest.fixture(scope="module")
def bundled() -> dict[str, tuple[str, str]]:
    """Source and composed caption by image."""
    data = load_dataset("radiology-open")
    captions = [
        [one["text"] for one in row if one["source"] == CaptionSource.COMPOSED]
        for row in data.column("captions").to_pylist()
    ]
    assert {len(one) for one in captions} == {1}
    sources = data.column("source").to_pylist()
    return {name: (source, texts[0]) for name, source, texts in zip(data.ids, sources, captions, strict=True)}


def test_the_bundled_captions_are_tidy(bundled: dict[str, tuple[str, str]]) -> None:
    for _, text in bundled.values():
        assert re.fullmatch(r"[A-Z3][^.\n]*\.(?: No abnormality\.)?", text), text
        assert not re.search(r"\b(\w+) \1\b|  ", text, re.IGNORECASE), text
        assert len(text.split()) <= 25
    assert len(bundled) == 5254
    assert len(set(bundled.values())) > 3500


def test_the_bundled_captions_say_what_the_table_says(bundled: dict[str, tuple[str, str]]) -> None:
    with (SCRIPTS / "radiology_open" / "vqa_rad.csv").open(encoding="utf-8", newline="") as file:
        rows = {one["image_id"]: one for one in csv.DictReader(file)}
    assert set(rows) == {name for name, (source, _) in bundled.items() if source == "VQA-RAD"}
    for name, line in rows.items():
        for finding in filter(None, line["findings"].split("|")):
            assert finding.lower() in bundled[name][1].lower()
