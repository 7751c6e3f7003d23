"""Which concepts are meant, and how others are refused."""

from __future__ import annotations

import pytest
from concept_samples import CT, EFFUSION, LUNG, PNEUMONIA, chest_dataset, chest_vocabulary
from dataset_samples import dataset_of, row
from vocabulary_samples import draft_of, vocabulary_of

from radcap.core import InputError, UsageError
from radcap.datasets.concepts.choosing import choose
from radcap.datasets.concepts.labelling import Labelling

VOCABULARY = chest_vocabulary()


def chosen(*wanted: str, top: int = 50) -> list[str]:
    labelling = Labelling(chest_dataset(), VOCABULARY)
    return [labelling.labels.cuis[code] for code in choose(labelling, wanted, top)]


def test_without_names_the_most_frequent_are_meant_equal_ones_by_cui() -> None:
    assert chosen(top=4) == [EFFUSION, CT, LUNG, PNEUMONIA]
    assert len(chosen()) == 5


def test_named_concepts_come_in_the_order_of_the_names_each_once() -> None:
    assert chosen(LUNG, CT, LUNG, top=1) == [LUNG, CT]


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("c0032227", "'c0032227' is no CUI, which is a C and seven digits. Nearest is C0032227"),
        ("C003222", "'C003222' is no CUI, which is a C and seven digits. Nearest is C0032227"),
        (
            "pleural efusion",
            "'pleural efusion' is no CUI, which is a C and seven digits. Nearest is C0032227",
        ),
        (
            "C0032310",
            "C0032310 (Viral pneumonia) stands on no image of sample. Nearest is C0032285 (Pneumonia)",
        ),
        ("C0032229", "C0032229 stands on no image of sample. Nearest is C0032227 (Pleural effusion)."),
        ("", "'' is no CUI, which is a C and seven digits. Without a CUI"),
        ("\x1b[2J", r"'\x1b[2J' is no CUI"),
        ("x" * 100_000, "... is no CUI"),
        ("\uff23\uff10040405", "is no CUI"),
    ],
)
def test_other_names_are_refused_with_the_nearest(name: str, told: str) -> None:
    with pytest.raises(UsageError) as caught:
        chosen(name)
    assert told in str(caught.value)
    assert "\x1b" not in str(caught.value)
    assert len(str(caught.value)) < 400


def test_all_names_that_are_refused_are_told_at_once() -> None:
    with pytest.raises(UsageError) as caught:
        chosen("c0040405", CT, "C0000001")
    assert str(caught.value) == (
        "'c0040405' is no CUI, which is a C and seven digits. Nearest is C0040405 (CT)."
        " C0000001 stands on no image of sample. Nearest is C0040405 (CT)."
        " Without a CUI the most frequent concepts are listed."
    )


def test_a_concept_that_only_the_dataset_lacks_leads_to_its_relatives_then_to_names_like_its_own() -> None:
    names = {
        PNEUMONIA: ["Pneumonia"],
        LUNG: ["Lung"],
        "C0000001": ["Lungs"],
        "C0000002": ["Lobar pneumonia"],
        "C0000003": ["Infection"],
    }
    vocabulary = vocabulary_of(draft_of(names, parents=[("C0000002", PNEUMONIA), (PNEUMONIA, "C0000003")]))
    labelling = Labelling(dataset_of([row("a", cui=[LUNG, "C0000002"])], {}), vocabulary)
    for wanted, nearest in ((PNEUMONIA, "C0000002 (Lobar pneumonia)"), ("C0000001", f"{LUNG} (Lung)")):
        with pytest.raises(UsageError) as caught:
            choose(labelling, [wanted], 1)
        assert f"Nearest is {nearest}." in str(caught.value)


def test_labels_that_are_no_cuis_can_be_asked_for_as_they_are_written() -> None:
    labelling = Labelling(dataset_of([row("a", cui=["c1"])], {}), VOCABULARY)
    assert choose(labelling, ["c1"], 1) == (0,)


@pytest.mark.parametrize("rows", [[], [row("a")]])
def test_a_dataset_without_concepts_is_refused(rows: list[dict[str, object]]) -> None:
    with pytest.raises(InputError, match=r"sample has no concepts on its .* Check its label files"):
        choose(Labelling(dataset_of(rows, {}), VOCABULARY), [], 50)
