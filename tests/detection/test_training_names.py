"""Names that would be those of files, and what an unreadable part of a dataset is called."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from training_samples import Heard, drawn, member, tiny, trained

from radcap.core import UsageError
from radcap.detection.ensembles import Ensemble
from radcap.detection.system import ConceptSystem
from radcap.detection.talk import SILENT
from radcap.detection.training.decoding import decoded_pictures
from radcap.vision.settings import ImageSettings
from radcap.vision.training import pick_place

UMLAUTS = "ä" * 101  # of two bytes each


@pytest.mark.parametrize(
    ("system", "size"),
    [
        (tiny("x" * 201), 201),
        (tiny(UMLAUTS), 202),
        (tiny("two", member=(member("a"), member(UMLAUTS, 1)), ensemble=Ensemble()), 202),
    ],
    ids=["letters", "bytes", "of a member"],
)
def test_a_name_that_no_file_can_have_is_refused_before_training(
    system: ConceptSystem, size: int, tmp_path: Path
) -> None:
    heard = Heard()
    with pytest.raises(UsageError, match=rf"has {size} bytes, and files are named by it: 200 are") as caught:
        trained(system, tmp_path / "m", talk=heard.talk)
    assert len(str(caught.value)) < 200
    assert not heard
    assert not (tmp_path / "m").exists()


def test_the_longest_name_of_a_member_is_that_of_its_folder(tmp_path: Path) -> None:
    system = tiny("y" * 200, member=(member("a"), member("x" * 200, 1)), ensemble=Ensemble())
    folder = trained(system, tmp_path / "m")
    assert folder.member("x" * 200).is_whole


@pytest.mark.parametrize(
    ("splits", "told"),
    [(["valid"], "the split 'valid' of synthetic"), (["train", "valid"], "synthetic")],
    ids=["one", "two"],
)
def test_images_of_which_none_decodes_are_called_by_their_split(splits: list[str], told: str) -> None:
    data = drawn(100, broken=4)
    broken = data.filter(np.array([fault != "" for fault in data.column("planted").to_pylist()]))
    places = broken.table.schema.get_field_index("split")
    named = pa.array([splits[row % len(splits)] for row in range(len(broken))])
    none = replace(broken, table=broken.table.set_column(places, "split", named))
    image, place = ImageSettings(size=32), pick_place("cpu")
    with pytest.raises(UsageError, match=rf"^No image of {told} can be read\. See radcap dataset check\.$"):
        decoded_pictures(none, image, place, where="auto", talk=SILENT)
