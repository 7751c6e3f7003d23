from __future__ import annotations

import pytest

from radcap.datasets.layouts.release.names import Kind, NamedFile, release_file, split_of

CAPTIONS, CONCEPTS, MANUAL = Kind.CAPTIONS, Kind.CONCEPTS, Kind.MANUAL


@pytest.mark.parametrize(
    ("name", "kind", "split"),
    [
        ("ConceptDetectionTraining2017-Concepts.txt", CONCEPTS, "train"),
        ("ConceptDetectionValidation2017-Concepts.txt", CONCEPTS, "valid"),
        ("CaptionPredictionTraining2017-Captions.txt", CAPTIONS, "train"),
        ("ConceptDetectionTraining2018-Concepts.csv", CONCEPTS, "train"),
        ("CaptionPredictionTraining2018-Captions.csv", CAPTIONS, "train"),
        ("train_concepts.csv", CONCEPTS, "train"),
        ("val_concepts.csv", CONCEPTS, "valid"),
        ("Training_Concepts.csv", CONCEPTS, "train"),
        ("Validation_Concepts.csv", CONCEPTS, "valid"),
        ("ImageCLEF2021_ConceptDetection_Training-Set/Training_Set_Concepts.csv", CONCEPTS, "train"),
        ("Validation_Set_Captions.csv", CAPTIONS, "valid"),
        ("concept_detection_train.csv", CONCEPTS, "train"),
        ("ImageCLEFmedCaption_2022_caption_prediction_valid.csv", CAPTIONS, "valid"),
        ("ImageCLEFmedical_Caption_2023_concept_detection_train_labels.csv", CONCEPTS, "train"),
        ("ImageCLEFmedical_Caption_2023_caption_prediction_valid_labels.csv", CAPTIONS, "valid"),
        ("train_captions.csv", CAPTIONS, "train"),
        ("TEST_CAPTIONS.CSV", CAPTIONS, "test"),
        ("dev_cuis.tsv", CONCEPTS, "valid"),
        ("valid_concepts_manual.csv", MANUAL, "valid"),
        ("captions.csv", CAPTIONS, ""),
        ("train/captions.csv", CAPTIONS, "train"),
        ("ROCOv2_train_captions.csv", CAPTIONS, "train"),
    ],
)
def test_label_files_of_every_edition_are_known_by_name(name: str, kind: Kind, split: str):
    assert release_file(name) == NamedFile(kind, split, plain=True)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("cui_mapping.csv", Kind.NAMES),
        ("cui_to_name_synth_2026.csv", Kind.NAMES),
        ("String_Concepts.csv", Kind.NAMES),
        ("license_information.csv", Kind.ATTRIBUTION),
        ("licences_train.csv", Kind.ATTRIBUTION),
        ("ATTRIBUTION.csv", Kind.ATTRIBUTION),
        ("CaptionPredictionTraining2017-List.txt", Kind.IDS),
        ("LICENSE.txt", Kind.UNKNOWN),
        ("qa_pairs.csv", Kind.UNKNOWN),
    ],
)
def test_other_files_are_no_labels(name: str, kind: Kind):
    found = release_file(name)
    assert found is not None
    assert found.kind is kind


@pytest.mark.parametrize("name", ["README.md", "train.zip", "captions.json", "train"])
def test_what_is_no_table_of_text_is_nothing(name: str):
    assert release_file(name) is None


@pytest.mark.parametrize("name", ["concepts_uncut.csv", "hospital_train_captions.csv"])
def test_strange_words_in_a_name_are_noted(name: str):
    found = release_file(name)
    assert found is not None
    assert not found.plain


@pytest.mark.parametrize(
    ("name", "split"),
    [
        ("training-set", "train"),
        ("CaptionTraining2018", "train"),
        ("valid_images", "valid"),
        ("ImageCLEFmedical_Caption_2026_synth_test_000001", "test"),
        ("train_and_test", ""),
        ("images", ""),
        ("latest", ""),
    ],
)
def test_a_name_tells_one_split_or_none(name: str, split: str):
    assert split_of(name) == split
