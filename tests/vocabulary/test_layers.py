from __future__ import annotations

from vocabulary_samples import draft_of, vocabulary_of

from radcap.vocabulary.concepts import Concept
from radcap.vocabulary.layers import Layers

FIRST = vocabulary_of(
    draft_of({"C0000001": ["Heart", "cor"], "C0000003": ["Lung"]}, parents=[("C0000001", "C0000003")])
)
SECOND = vocabulary_of(
    draft_of(
        {"C0000001": ["heart", "Heart", "cor"], "C0000002": ["Liver"]},
        types=[("C0000001", 23), ("C0000002", 24)],
        parents=[("C0000001", "C0000002")],
    )
)
LAYERS = Layers([FIRST, SECOND])


def test_concepts_of_all_layers_each_once() -> None:
    assert list(LAYERS) == ["C0000001", "C0000003", "C0000002"]
    assert len(LAYERS) == 3
    assert "C0000002" in LAYERS
    assert "C0000009" not in LAYERS
    assert 7 not in LAYERS


def test_the_first_layer_names_and_all_know() -> None:
    assert LAYERS.concept("C0000001") == Concept(
        "C0000001", "Heart", ("cor", "heart"), ("T023",), ("test",), ("C0000003", "C0000002")
    )
    assert LAYERS.concept("C0000009") is None
    assert [LAYERS.name(cui) for cui in ("C0000001", "C0000002", "C0000009")] == ["Heart", "Liver", None]


def test_types_are_those_of_the_first_that_has_any() -> None:
    assert LAYERS.types("C0000001") == ("T023",)
    assert LAYERS.types("C0000003") == ()


def test_no_layers() -> None:
    nothing = Layers([])
    assert (len(nothing), list(nothing), nothing.concept("C0000001"), nothing.types("C0000001")) == (
        0,
        [],
        None,
        (),
    )
