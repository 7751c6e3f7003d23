from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from extractor_samples import make_vocabulary, tiny_vocabulary

from radcap.vocabulary.extractors import nearest_names
from radcap.vocabulary.extractors.entities import Entity
from radcap.vocabulary.extractors.known import Known
from radcap.vocabulary.extractors.nearest_names import Choosing, NameLinker, NameRow

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from radcap.vocabulary import Mention, Vocabulary


class Models:
    """Answers as the models would: by rows that are given, and by the names that are likely."""

    def __init__(self, near: Mapping[str, list[tuple[int, float]]], likely: Mapping[str, float]) -> None:
        self.near, self.likely = near, likely
        self.asked: list[tuple[str, Any]] = []

    def ask(self, do: str, given: Any) -> Any:
        self.asked.append((do, given))
        if do == "nearest":
            return [self.near[text][: given["count"]] for text in given["texts"]]
        return [self.likely[name] for _, name in given]


PLAIN = Choosing(10, 0.7, None, 8, "{mention} {context}")
RERANKED = Choosing(10, 0.7, 0.5, 7, "{mention} | {context}")


def mentions(
    near: Mapping[str, list[tuple[int, float]]],
    *texts: str,
    choosing: Choosing = PLAIN,
    likely: Mapping[str, float] | None = None,
    vocabularies: Sequence[Vocabulary] = (),
) -> tuple[list[list[Mention]], Models]:
    """Every word of more than two letters is a span."""
    models: Any = Models(near, likely or {})
    layers = vocabularies or [tiny_vocabulary()]
    linker = NameLinker(models, NameRow(layers), Known(layers), choosing)
    found = [
        [Entity(text.index(word), text.index(word) + len(word)) for word in text.split() if len(word) > 2]
        for text in texts
    ]
    return [list(one) for one in linker.mentions(texts, found)], models


# Rows: 0 Heart, 1 Heart structure, 2 and 3 effusion, 4 to 6 tomography, 7 Chest, 8 Entire heart.
def test_names_of_all_vocabularies_stand_in_one_row() -> None:
    names = NameRow([tiny_vocabulary(), make_vocabulary({5: ["aorta"]})])
    assert len(names) == 10
    assert [names[row] for row in (0, 8, 9)] == ["Heart", "Entire heart", "aorta"]
    assert [names.cui(row) for row in (1, 8, 9)] == ["C0018787", "C1281570", "C0000005"]


def test_a_digest_is_that_of_the_names_alone() -> None:
    one = NameRow([make_vocabulary({5: ["aorta", "vein"]})]).digest()
    assert one == NameRow([make_vocabulary({7: ["aorta", "vein"]}, name="other")]).digest()
    others = ([{5: ["aorta", "veins"]}], [{5: ["aortav", "ein"]}], [{5: ["aorta"]}, {6: ["vein"]}])
    digests = {NameRow([make_vocabulary(part) for part in other]).digest() for other in others}
    assert len(digests | {one}) == 4


def test_the_nearest_name_gives_the_concept() -> None:
    ((found,),), _ = mentions({"heart": [(1, 0.8), (0, 0.9), (7, 0.1)]}, "no heart")
    assert (found.cui, found.name, found.types) == ("C0018787", "Heart", ("T023",))
    assert (found.kept, found.negated, found.score, found.others) == (True, True, 0.9, ())
    assert found.why == "'Heart' is the nearest name, cosine 0.900"


def test_a_name_that_is_too_far_is_not_kept_and_said() -> None:
    ((found,),), _ = mentions({"valve": [(0, 0.4)]}, "valve")
    assert (found.cui, found.kept, found.score) == ("C0018787", False, 0.4)
    assert found.why == "'Heart' is the nearest name, cosine 0.400, below 0.7"


def test_equally_near_names_go_by_their_order_and_the_same_words_are_told() -> None:
    twins = make_vocabulary({3: ["Mass"], 2: ["mass", "lump"], 9: ["tumour"]})
    # rows: 0 mass, 1 lump, 2 Mass, 3 tumour; the last bits of equal cosines differ
    near = {"mass": [(2, 0.999_99), (0, 0.999_98), (3, 0.9), (1, 0.8)]}
    ((found,),), _ = mentions(near, "mass", vocabularies=[twins])
    assert (found.cui, found.others) == ("C0000002", ("C0000003",))


def test_a_reranker_decides_by_context() -> None:
    near = {"heart": [(0, 0.99), (8, 0.98), (7, 0.2)]}
    likely = {"Heart": 0.3, "Entire heart": 0.8, "Chest": 0.8}
    ((found,),), models = mentions(near, "of a 2 heart it is", choosing=RERANKED, likely=likely)
    assert (found.cui, found.score, found.kept) == ("C1281570", 0.8, True)
    assert found.why == "'Entire heart' is the reranked name, probability 0.800"
    assert models.asked[1] == (
        "rerank",
        [("heart | of a 2 heart it is", name) for name in ("Heart", "Entire heart", "Chest")],
    )


def test_a_reranker_may_refuse_all() -> None:
    likely = {"Heart": 0.3}
    ((found,),), _ = mentions({"valve": [(0, 0.99)]}, "valve", choosing=RERANKED, likely=likely)
    assert not found.kept
    assert found.why == "'Heart' is the reranked name, probability 0.300, below 0.5"


def test_braces_of_a_text_are_not_filled_in() -> None:
    near = {"heart": [(0, 0.9)]}
    _, models = mentions(near, "{} m heart", choosing=RERANKED, likely={"Heart": 1.0})
    assert models.asked[1][1] == [("heart | {} m heart", "Heart")]


def test_pairs_are_reranked_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nearest_names, "_PAIRS", 2)
    near = {"heart": [(0, 0.9), (8, 0.8), (7, 0.7)], "chest": [(7, 1.0)]}
    likely = {"Heart": 0.9, "Entire heart": 0.2, "Chest": 0.6}
    found, models = mentions(near, "heart", "chest", choosing=RERANKED, likely=likely)
    assert [[one.cui for one in some] for some in found] == [["C0018787"], ["C0817096"]]
    assert [len(given) for do, given in models.asked if do == "rerank"] == [2, 2]


def test_a_mention_is_looked_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    models: Any = Models({"heart": [(0, 0.9)], "chest": [(7, 0.9)], "\ufffd": [(0, 0.1)]}, {})
    linker = NameLinker(models, NameRow([tiny_vocabulary()]), Known([]), PLAIN)
    for text in ("heart", "heart", "chest", "\ud800"):
        list(linker.mentions([text, ""], [[Entity(0, len(text))], []]))
    assert [given["texts"] for _, given in models.asked] == [["heart"], ["chest"], ["\ufffd"]]
    monkeypatch.setattr(nearest_names, "_KEPT", 2)
    list(linker.mentions(["heart"], [[Entity(0, 5)]]))
    assert models.asked[-1][1]["texts"] == ["heart"]


def test_an_empty_vocabulary_names_nothing() -> None:
    found, _ = mentions({"heart": []}, "heart", "")
    assert found == [[], []]
