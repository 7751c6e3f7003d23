"""Folders as people have them: every edition, renamed, mixed and half copied."""

from __future__ import annotations

import json
import zipfile
from typing import TYPE_CHECKING, Any

import pytest

from radcap.core import InputError
from radcap.datasets import load_dataset, open_dataset
from radcap.datasets.findings import Findings
from radcap.datasets.layouts import layout_named, recognise
from radcap.datasets.layouts.release.editions import EDITIONS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from radcap.datasets import Dataset

C1, C2, C3 = "C0000001", "C0000002", "C0000003"


def lay(root: Path, files: Mapping[str, str | bytes]) -> Path:
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content.encode() if isinstance(content, str) else content)
    return root


def opened(root: Path) -> tuple[Dataset, Findings]:
    findings = Findings()
    return open_dataset(root, findings), findings


def short(dataset: Dataset) -> list[tuple[Any, ...]]:
    return [(one.id, one.split, one.caption, one.concepts, one.manual) for one in dataset]


PLAIN = [("t1", "train", "x, y", (C1, C2), ()), ("v1", "valid", "z", (C1,), ())]
EDITION_FILES: Mapping[str, Mapping[str, str]] = {
    "imageclef-2017": {
        "ConceptDetectionTraining2017-Concepts.txt": f"t1\t{C1};{C2}\n",
        "ConceptDetectionValidation2017-Concepts.txt": f"v1\t{C1}\n",
        "CaptionPredictionTraining2017-Captions.txt": "t1\tx, y\n",
        "CaptionPredictionValidation2017-Captions.txt": "v1\tz\n",
        "CaptionPredictionTraining2017/t1.jpg": "T",
        "ConceptDetectionTraining2017/t1.jpg": "T",
        "CaptionPredictionValidation2017/v1.jpg": "V",
        "CaptionPredictionTraining2017-List.txt": "t1\n",
    },
    "imageclef-2018": {
        "ConceptDetectionTraining2018-Concepts.csv": f"t1\t{C1};{C2}\n",
        "ConceptDetectionValidation2018-Concepts.csv": f"v1\t{C1}\n",
        "CaptionPredictionTraining2018-Captions.csv": "t1\tx, y\n",
        "CaptionPredictionValidation2018-Captions.csv": "v1\tz\n",
        "CaptionTraining2018/t1.jpg": "T",
        "CaptionValidation2018/v1.jpg": "V",
    },
    "imageclef-2021": {
        "ImageCLEF2021_ConceptDetection_Training-Set/Training_Set_Concepts.csv": f"\ufefft1,{C1};{C2}\n",
        "ImageCLEF2021_ConceptDetection_Training-Set/Training-Images/t1.jpg": "T",
        "ImageCLEF2021_ConceptDetection_Validation-Set/Validation_Set_Concepts.csv": f"v1,{C1}\n",
        "ImageCLEF2021_CaptionPrediction_Training-Set/Training_Set_Captions.csv": 't1,"x, y"\n',
        "ImageCLEF2021_CaptionPrediction_Validation-Set/Validation_Set_Captions.csv": "v1\tz\n",
        "ImageCLEF2021_CaptionPrediction_Validation-Set/Validation-Images/v1.jpg": "V",
    },
    "imageclef-2022": {
        "concept_detection_train.csv": f"ID\tcuis\nt1\t{C1};{C2}\n",
        "concept_detection_valid.csv": f"ID\tcuis\nv1\t{C1}\n",
        "caption_prediction_train.csv": "ID\tcaption\nt1\tx, y\n",
        "caption_prediction_valid.csv": "ID\tcaption\nv1\tz\n",
        "concepts.csv": f"concept\tconcept_name\n{C1}\tone\n",
        "train/t1.jpg": "T",
        "valid/v1.jpg": "V",
    },
    "imageclef-2023": {
        "ImageCLEFmedical_Caption_2023_concept_detection_train_labels.csv": f"ID\tcuis\nt1\t{C1};{C2}\n",
        "ImageCLEFmedical_Caption_2023_concept_detection_valid_labels.csv": f"ID\tcuis\nv1\t{C1}\n",
        "ImageCLEFmedical_Caption_2023_caption_prediction_train_labels.csv": "ID\tcaption\nt1\tx, y\n",
        "ImageCLEFmedical_Caption_2023_caption_prediction_valid_labels.csv": "ID\tcaption\nv1\tz\n",
        "ImageCLEFmedical_Caption_2023_cui_mapping.csv": f"{C1}\tone\n",
        "train/t1.jpg": "T",
        "valid/v1.jpg": "V",
    },
    "rocov2": {
        "train_captions.csv": 'ID,Caption\nt1,"x, y"\n',
        "train_concepts.csv": f"ID,CUIs\nt1,{C1};{C2}\n",
        "valid_captions.csv": "ID,Caption\nv1,z\n",
        "valid_concepts.csv": f"ID,CUIs\nv1,{C1}\n",
        "license_information.csv": " image , PMCID ,attribution string,article link\nt1,PMC1,A,http://x\n",
        "cui_mapping.csv": f"CUI,Canonical name\n{C1},one\n",
        "train/t1.jpg": "T",
        "valid/v1.jpg": "V",
    },
}


@pytest.mark.parametrize("edition", EDITION_FILES)
def test_the_files_of_an_edition_are_opened_and_recognised(tmp_path: Path, edition: str):
    dataset, findings = opened(lay(tmp_path, EDITION_FILES[edition]))
    assert short(dataset) == PLAIN
    assert dataset.layout == edition
    assert [one.image.bytes for one in dataset] == [b"T", b"V"]
    assert not findings.errors
    assert set(findings.counts) <= {"RUN106"}  # the byte-order mark of 2021


def test_2019_and_2020_have_concepts_alone(tmp_path: Path):
    files = {"train_concepts.csv": f"t1\t{C1}\n", "val_concepts.csv": f"v1\t{C2}\n"}
    images = {"training-set/t1.jpg": "T", "validation-set/v1.jpg": "V", "test-set/s1.jpg": "S"}
    names = {"string_concepts.csv": f"{C1}\tone\n"}
    dataset, findings = opened(lay(tmp_path / "2019", {**files, **images, **names}))
    assert [(one.id, one.split, one.concepts) for one in dataset] == [
        ("t1", "train", (C1,)),
        ("v1", "valid", (C2,)),
        ("s1", "test", ()),
    ]
    assert (dataset.layout, dataset.names) == ("imageclef-2019", {C1: "one"})
    assert not findings.findings
    files = {
        "Training_Concepts.csv": f"t1\t{C1}\nt2\t{C1}\n",
        "training/DRAN/t1.jpg": "T",
        "training/t2.jpg": "T",
    }
    dataset, _ = opened(lay(tmp_path / "2020", files))
    assert (dataset.layout, [one.modality for one in dataset]) == ("imageclef-2020", ["DRAN", ""])


def test_the_licence_file_gives_group_attribution_and_link(tmp_path: Path):
    record = opened(lay(tmp_path, EDITION_FILES["rocov2"]))[0]["t1"]
    assert (record.group, record.attribution, record.details) == ("PMC1", "A", {"link": "http://x"})


def test_a_licence_file_without_header_is_read_by_place(tmp_path: Path):
    files = {"train_captions.csv": "ID,Caption\nt1,x\n", "license_information.csv": "t1,PMC1,A\n"}
    record = opened(lay(tmp_path, files))[0]["t1"]
    assert (record.group, record.attribution, record.details) == ("PMC1", "A", {})


def test_2026_names_the_split_in_the_id(tmp_path: Path):
    train, valid = (f"ImageCLEFmedical_Caption_2026_synth_{one}_000001" for one in ("train", "valid"))
    files = {
        "captions.csv": f"ID,Caption\n{valid},z\n{train},x\n",
        "concepts.csv": f"ID,CUIs\n{valid},{C1}\n{train},{C1};{C2}\n",
        "train_concepts_manual.csv": f"ID,CUIs\n{train},{C1}\n",
        "cui_to_name_synth_2026.csv": f"CUI,Name\n{C1},one\n",
        f"{train}.jpg": "T",
        "images/valid/x.jpg": "V",
    }
    dataset, findings = opened(lay(tmp_path, files))
    assert short(dataset) == [(train, "train", "x", (C1, C2), (C1,)), (valid, "valid", "z", (C1,), ())]
    assert dataset.layout == "imageclef-2026"
    assert not findings.findings


def test_a_column_of_the_attribution_file_gives_the_split(tmp_path: Path):
    files = {
        "concepts.csv": f"ID,CUIs\na,{C1}\nb,{C2}\nc,{C3}\n",
        "attribution.csv": "ID,split,licence,year\nb,site B,CC0,2020\na,test,CC BY,\n",
        "valid_concepts_manual.csv": f"ID,CUIs\nc,{C3}\n",
        "x.jpg": "",
    }
    dataset, findings = opened(lay(tmp_path, files))
    assert [(one.id, one.split, one.licence, dict(one.details)) for one in dataset] == [
        ("c", "valid", "", {"year": ""}),
        ("a", "test", "CC BY", {"year": ""}),
        ("b", "site B", "CC0", {"year": "2020"}),
    ]
    assert not findings.findings


def test_images_of_no_split_are_train_and_said(tmp_path: Path):
    files = {"concepts.csv": "ID,CUIs\na,\nb,\n", "captions.csv": "ID,Caption\nb,x\n", "a.jpg": ""}
    dataset, findings = opened(lay(tmp_path, files))
    assert [(one.id, one.split) for one in dataset] == [("b", "train"), ("a", "train")]
    assert [
        "Images without a split, by file, column or id: 2." in one.issue.message for one in findings.findings
    ] == [True]


def test_records_are_the_union_in_the_order_of_captions_concepts_and_manual(tmp_path: Path):
    files = {
        "train_captions.csv": "ID,Caption\nb,x\na,y\n",
        "train_concepts.csv": f"ID,CUIs\nc,{C1}\na,{C2}\n",
        "train_concepts_manual.csv": f"ID,CUIs\nd,{C1}\nb,{C1}\n",
        "train/b.jpg": "",
    }
    assert short(opened(lay(tmp_path, files))[0]) == [
        ("b", "train", "x", (), (C1,)),
        ("a", "train", "y", (C2,), ()),
        ("c", "train", "", (C1,), ()),
        ("d", "train", "", (), (C1,)),
    ]


@pytest.mark.parametrize("box", ["test/s.jpg", "test_images.zip"])
def test_images_without_labels_are_records_only_where_the_split_has_none(tmp_path: Path, box: str):
    lay(tmp_path, {"train_captions.csv": "ID,Caption\na,x\n", "train/a.jpg": "", "train/orphan.jpg": ""})
    if box.endswith(".zip"):
        with zipfile.ZipFile(tmp_path / box, "w") as archive:
            archive.writestr("s.jpg", b"S")
    else:
        lay(tmp_path, {box: b"S"})
    dataset, _ = opened(tmp_path)
    assert [(one.id, one.split) for one in dataset] == [("a", "train"), ("s", "test")]
    assert set(dataset.images.keys()) == {"train/a", "test/s", "train/orphan"}


def test_concept_cells_keep_their_spelling(tmp_path: Path):
    files = {"train_concepts.csv": "ID,CUIs\na, c0040405 ;;C1;\nb,\n", "train/a.jpg": ""}
    dataset, _ = opened(lay(tmp_path, files))
    assert [one.concepts for one in dataset] == [("c0040405", "C1"), ()]  # the checker says what is wrong


def test_ids_with_endings_keep_them_and_find_their_images(tmp_path: Path):
    files = {"train_captions.csv": "ID,Caption\na.jpg,x\nB.PNG,y\n", "train/a.jpg": "A", "train/b.png": "B"}
    dataset, _ = opened(lay(tmp_path, files))
    assert [(one.id, one.image.bytes) for one in dataset] == [("a.jpg", b"A"), ("B.PNG", b"B")]
    assert set(dataset.images.keys()) == {"train/a.jpg", "train/B.PNG"}


@pytest.mark.parametrize(
    ("files", "code", "file", "line"),
    [
        ({"train_captions.csv": "ID,Caption\na,x\nb,y\na,z\n"}, "DAT201", "train_captions.csv", 4),
        ({"train_captions.csv": "ID,Caption\na,x\n,y\n"}, "DAT210", "train_captions.csv", 3),
        ({"train_captions.csv": "ID,Caption\na,x\n  ,y\n"}, "DAT210", "train_captions.csv", 3),
        ({"train_captions.csv": "ID,Caption\na,x,y\n"}, "DAT122", "train_captions.csv", 2),
        ({"train_captions.csv": b"PK\x03\x04..."}, "DAT104", "train_captions.csv", 0),
        ({"train_captions.csv": b"ID,Caption\na,\xe9\n"}, "RUN105", "train_captions.csv", 2),
        ({"train_captions.csv": "ID,Caption\n"}, "DAT120", "train_captions.csv", 1),
        ({"train_captions.csv": ""}, "RUN102", "train_captions.csv", 0),
        ({"train_concepts.csv": "ID\na\n", "train_captions.csv": "ID,Caption\na,x\n"}, "", "", 0),
        ({"train_captions.csv": "ID,Question,Answer\na,x,y\n"}, "DAT106", "train_captions.csv", 1),
        ({"qa_pairs.csv": "ID,Question\na,x\n"}, "DAT107", "qa_pairs.csv", 0),
        ({"train_cui_counts.csv": "CUI,n\nC1,2\n"}, "DAT107", "train_cui_counts.csv", 0),
        (
            {"concepts_uncut.csv": "ID,CUIs\nb,C1\n", "concepts.csv": "ID,CUIs\nv,C1\n"},
            "DAT107",
            "concepts_uncut.csv",
            0,
        ),
        ({"attribution.csv": "ID,group\na,g\na,h\n"}, "DAT201", "attribution.csv", 3),
        ({"attribution.csv": "ID,split\na,train\na,valid\n"}, "DAT124", "attribution.csv", 0),
        ({"license_information.csv": "ID,PMCID\na,PMC1\nzz,PMC2\n"}, "DAT124", "license_information.csv", 0),
        ({"attribution.csv": "ID,captions\na,{}\n"}, "DAT105", "attribution.csv", 2),
        ({"attribution.csv": "ID,captions\na,plain\n"}, "DAT105", "attribution.csv", 2),
        ({"attribution.csv": 'ID,cui\na,"[""C1"", 2]"\n'}, "DAT105", "attribution.csv", 2),
        ({"attribution.csv": 'ID,cui\na,"[""\\ud800""]"\n'}, "DAT105", "attribution.csv", 2),
        ({"attribution.csv": f"ID,cui\na,{'[' * 100_000}\n"}, "DAT105", "attribution.csv", 2),
        ({"attribution.csv": "ID,captions\na,[1]\n"}, "DAT105", "attribution.csv", 2),
        ({"attribution.csv": "ID,group\n"}, "", "", 0),
        ({"train_caption_prediction.csv": "ID,Caption\na,again\n"}, "DAT201", "train_captions.csv", 0),
        (
            {"CaptionTraining2018.zip.aa": "PK", "CaptionTraining2018.zip.ac": ""},
            "DAT109",
            "CaptionTraining2018.zip.aa",
            0,
        ),
        ({"CaptionTraining2018.zip.aa": "PK"}, "DAT121", "CaptionTraining2018.zip", 0),
        ({"x.zip.001": "PK", "x.zip.003": ""}, "DAT109", "x.zip.001", 0),
        ({"x.z01": "PK", "x.zip": b"PK\x05\x06" + bytes(18)}, "DAT121", "x.zip", 0),
        ({"train_images.zip": "PK cut off"}, "DAT104", "train_images.zip", 0),
    ],
)
def test_what_is_wrong_with_a_release_is_said_with_file_and_line(
    tmp_path: Path, files: Mapping[str, str | bytes], code: str, file: str, line: int
):
    base = {"valid_captions.csv": "ID,Caption\nv,x\n", "valid/v.jpg": "", "train/a.jpg": ""}
    if not any("train" in name for name in files):
        base["train_captions.csv"] = "ID,Caption\na,x\n"
    if "train_caption_prediction.csv" in files:
        base["train_captions.csv"] = "ID,Caption\na,x\n"
    dataset, findings = opened(lay(tmp_path, {**base, **files}))
    assert [(one.file, one.issue.code, one.issue.line) for one in findings.findings] == (
        [(file, code, line)] if code else []
    )
    assert dataset["v"].caption == "x"  # whatever is wrong elsewhere


def test_a_label_file_with_a_header_of_one_column_lacks_the_other(tmp_path: Path):
    files = {"train_captions.csv": "ID,image\na,b\n", "train_concepts.csv": "a\n", "train/a.jpg": ""}
    dataset, findings = opened(lay(tmp_path, files))
    assert [one.id for one in dataset] == ["a"]
    assert not findings.findings


def test_a_file_that_lists_every_image_is_joined_with_one_that_lists_some(tmp_path: Path):
    files = {
        "train_captions.csv": "ID,Caption\na,x\nb,y\n",
        "train_concepts.csv": f"ID,CUIs\nb,{C1}\n",
        "train/a.jpg": "",
    }
    dataset, _ = opened(lay(tmp_path, files))
    assert [(one.caption, one.concepts) for one in dataset] == [("x", ()), ("y", (C1,))]


def test_links_to_nowhere_are_passed_by(tmp_path: Path):
    lay(tmp_path, {"train_captions.csv": "ID,Caption\na,x\n", "train/a.jpg": ""})
    for place in ("train/gone.csv", "gone.csv"):
        (tmp_path / place).symlink_to(tmp_path / "nowhere")
    assert len(opened(tmp_path)[0]) == 1


def test_all_problems_are_said_at_once_and_the_dataset_is_refused(tmp_path: Path):
    files = {
        "train_captions.csv": "ID,Caption\na,x\na,y\n,z\n",
        "train_concepts.csv": b"ID,CUIs\na,\xe9\n",
        "train_images.zip": "cut",
    }
    with pytest.raises(InputError) as refused:
        load_dataset(lay(tmp_path, files))
    assert {issue.code for issue in refused.value.issues} == {"DAT104", "DAT201", "DAT210", "RUN105"}


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({}, ["train", "valid"]),
        ({"train/a.jpg": ""}, ["valid"]),
        ({"train/.hidden.jpg": "", "valid/deep/er/v.jpg": ""}, ["train"]),
        ({"images/a.jpg": ""}, []),
        ({"a.jpg": ""}, []),
        ({"images/deep/valid.zip": b"PK\x05\x06" + bytes(18)}, []),
    ],
)
def test_labels_without_images_are_a_half_copy(tmp_path: Path, files: Mapping[str, str], said: list[str]):
    labels = {"train_captions.csv": "ID,Caption\na,x\n", "valid_captions.csv": "ID,Caption\nv,x\n"}
    _, findings = opened(lay(tmp_path, {**labels, **files}))
    assert [one.issue.code for one in findings.findings] == ["DAT108"] * len(said)
    assert [one.issue.message.partition(" ")[0] for one in findings.findings] == said


def test_the_joined_zip_makes_its_parts_harmless(tmp_path: Path):
    lay(tmp_path, {"train_captions.csv": "ID,Caption\na,x\n", "train.zip.aa": "", "train.zip.001": ""})
    with zipfile.ZipFile(tmp_path / "train.zip", "w") as archive:
        archive.writestr("a.jpg", b"A")
    dataset, findings = opened(tmp_path)
    assert (dataset["a"].image.bytes, findings.findings) == (b"A", ())


def test_two_attribution_files_complete_each_other(tmp_path: Path):
    files = {
        "train_captions.csv": "ID,Caption\na,x\nb,y\n",
        "attribution.csv": "ID,split,group,attribution\na,train,PMC1,\nb,train,,ours\n",
        "license_information.csv": "ID,PMCID,Attribution,Link\na,PMC9,theirs,\nb,PMC2,theirs,\n",
        "train/a.jpg": "",
    }
    dataset, _ = opened(lay(tmp_path, files))
    assert [(one.group, one.attribution, dict(one.details)) for one in dataset] == [
        ("PMC1", "theirs", {}),
        ("PMC2", "ours", {}),
    ]


def test_an_id_in_two_splits_keeps_both_attributions(tmp_path: Path):
    files = {
        "train_captions.csv": "ID,Caption\na,x\n",
        "test_captions.csv": "ID,Caption\na,y\n",
        "attribution.csv": "ID,split,group\na,test,g2\na,train,g1\n",
        "train/a.jpg": "1",
        "test/a.jpg": "2",
    }
    dataset, _ = opened(lay(tmp_path, files))
    assert [(one.split, one.group, one.image.bytes) for one in dataset] == [
        ("train", "g1", b"1"),
        ("test", "g2", b"2"),
    ]


def test_captions_in_json_take_the_place_of_those_in_the_label_file(tmp_path: Path):
    captions = [{"text": "x", "source": "generated", "language": "de"}]
    cell = json.dumps(captions).replace('"', '""')
    files = {
        "train_captions.csv": "ID,Caption\na,x\nb,y\n",
        "attribution.csv": f'ID,split,captions\nb,train,\nz,train,[]\na,train,"{cell}"\n',
        "train/a.jpg": "",
    }
    dataset, findings = opened(lay(tmp_path, files))
    assert [one.captions[0].source for one in dataset] == ["generated", "original"]
    assert list(findings.counts) == ["DAT124"]  # z has no label


@pytest.mark.parametrize("names", [[], ["notes.txt"], ["image.jpg"], ["cui_mapping.csv"], ["qa_pairs.csv"]])
def test_a_folder_without_labels_is_no_release(tmp_path: Path, names: list[str]):
    lay(tmp_path, dict.fromkeys(names, "a,b\n"))
    assert not any(layout_named(name).recognises(tmp_path) for name in EDITIONS)


@pytest.mark.parametrize(
    ("first", "layout"),
    [
        ("ROCOv2_2023_train_000001", "rocov2"),
        ("ImageCLEFmedical_Caption_2024_train_000001", "imageclef-2024"),
        ("ImageCLEFmedical_Caption_2025_train_1", "imageclef-2025"),
        ("my_image", "imageclef-2026"),
    ],
)
def test_plain_names_leave_the_edition_to_the_ids(tmp_path: Path, first: str, layout: str):
    lay(tmp_path, {"train_captions.csv": f"ID,Caption\n{first},x\n", "train/a.jpg": ""})
    assert recognise(tmp_path) == layout


def test_a_large_folder_of_images_is_not_read_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    lay(tmp_path, {"train_captions.csv": "ID,Caption\na0,x\n"})
    lay(tmp_path / "train", {f"a{i}.jpg": "" for i in range(600)})
    lay(tmp_path / "train", {"test_captions.csv": "ID,Caption\nb,x\n"})
    monkeypatch.setattr("radcap.datasets.layouts.release.files._LOOKED_AT", 0)
    assert opened(tmp_path)[0].splits == ("train",)


@pytest.mark.parametrize("header", ["ID,Caption", "id,caption", "Id,Text"])
def test_a_header_that_stands_again_is_no_record(tmp_path: Path, header: str):
    lay(tmp_path, {"train_captions.csv": f"ID,Caption\na1,x\n{header}\na2,y\na1,z\n"})
    dataset, findings = opened(tmp_path)
    assert dataset.ids == ["a1", "a2"]
    lines = {one.issue.code: one.issue.line for one in findings.findings}
    assert (lines["DAT125"], lines["DAT201"]) == (3, 5)


def test_a_header_that_stands_again_alone_is_said(tmp_path: Path):
    lay(tmp_path, {"train_captions.csv": "ID,Caption\na1,x\nID,Caption\na2,y\n"})
    dataset, findings = opened(tmp_path)
    assert (dataset.ids, findings.counts["DAT125"]) == (["a1", "a2"], 1)
