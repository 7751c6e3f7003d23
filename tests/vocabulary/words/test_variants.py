from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from radcap.vocabulary.words import variants

TABLE = [
    ("heart", ()),
    ("", ()),
    (" , ", ()),
    ("Pleural effusion (disorder)", ("Pleural effusion",)),
    ("Diabetes, NOS", ("Diabetes", "NOS Diabetes")),
    ("Diabetes NOS", ("Diabetes",)),
    ("Diabetes (NOS)", ("Diabetes",)),
    ("Diabetes [NOS]", ("Diabetes",)),
    ("Fracture, unspecified", ("Fracture", "unspecified Fracture")),
    ("Group of albinos", ("albinos Group",)),  # nothing is cut off inside a word
    ("Heart structure", ("Heart",)),
    ("Structure of left ovary", ("left ovary", "left ovary Structure")),
    ("Bone structure of rib", ("rib", "rib bone", "rib Bone structure", "rib Bone")),
    ("Entire heart", ("heart",)),
    ("Entire Heart structure", ("Entire Heart", "Heart structure", "Heart")),
    ("Pancreatitis, Acute", ("Acute Pancreatitis",)),
    ("Neoplasm, and others", ()),
    ("Tomography, X-Ray, Computed", ("Computed X-Ray Tomography",)),
    ("CT of the chest", ("chest CT",)),
    ("one two three of four", ()),
    ("  Structure of hip  ", ("hip", "hip Structure")),
    ("x" * 60 + " of " + "y" * 60, ()),  # too long to be said otherwise
]


@pytest.mark.parametrize(("name", "made"), TABLE)
def test_variants_of_a_name(name: str, made: tuple[str, ...]) -> None:
    assert variants(name) == made


def test_no_more_than_a_few() -> None:
    name = "Structure of entire a, structure of b structure (finding) (disorder), NOS"
    assert 1 < len(variants(name)) <= 6 + 1


@given(st.text(max_size=140) | st.from_regex(r"((structure|entire|of|,|nos|\(disorder\)) ?){1,12}"))
def test_variants_are_other_texts(name: str) -> None:
    made = variants(name)
    assert len(set(made)) == len(made)
    assert name.strip() not in made
    assert all(made)


@pytest.mark.parametrize(
    "name", ["," * 120, "(" * 120, "of " * 40, "a, " * 40, " " * 100 + "of", "structure " * 12]
)
def test_odd_names_take_no_time(name: str) -> None:
    assert len(variants(name)) <= 7
