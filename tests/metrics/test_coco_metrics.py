"""COCO BLEU-1 to BLEU-4 and CIDEr-D against pycocoevalcap (section 6)."""

from __future__ import annotations

import pytest
from caption_samples import TOKEN_PAIRS, few, real_captions
from hypothesis import assume, given
from pycocoevalcap.bleu.bleu import Bleu
from pycocoevalcap.cider.cider import Cider

from radcap.metrics import Preparation, prepare, score_captions
from radcap.metrics.cider import cider_scores
from radcap.metrics.coco_bleu import coco_bleu_scores, corpus_bleu
from radcap.metrics.ngrams import count_ngrams

Tokens = list[str]
Pairs = list[tuple[Tokens, Tokens]]


def as_coco(side: list[Tokens]) -> dict[int, list[str]]:
    return {place: [" ".join(tokens)] for place, tokens in enumerate(side)}


def sides(pairs: Pairs) -> tuple[list[Tokens], list[Tokens]]:
    return [one for one, _ in pairs], [other for _, other in pairs]


def bleu_of_coco(candidates: list[Tokens], references: list[Tokens]) -> tuple[list[float], list[list[float]]]:
    return Bleu(4).compute_score(as_coco(references), as_coco(candidates), verbose=0)


def cider_of_coco(candidates: list[Tokens], references: list[Tokens]) -> list[float]:
    return list(Cider().compute_score(as_coco(references), as_coco(candidates))[1])


def real_pairs() -> Pairs:
    """Captions against the first two thirds of themselves mixed with another one."""
    captions = [one.split() for one in prepare(real_captions(), Preparation.P23)]
    return [
        (one[: 2 * len(one) // 3] + other[-3:], one)
        for one, other in zip(captions, [*captions[1:], captions[0]], strict=True)
    ]


def check_bleu(pairs: Pairs) -> None:
    candidates, references = sides(pairs)
    total, each = bleu_of_coco(candidates, references)
    for ours, theirs in zip(coco_bleu_scores(candidates, references), each, strict=True):
        assert ours == pytest.approx(theirs, rel=1e-12, abs=1e-12)
    assert corpus_bleu(count_ngrams(candidates, references, 4)) == pytest.approx(total, rel=1e-12, abs=1e-12)


@few
@given(TOKEN_PAIRS)
def test_bleu_of_each_caption_and_of_all_is_that_of_the_coco_tools(pairs: Pairs) -> None:
    check_bleu(pairs)


def test_bleu_on_real_captions() -> None:
    check_bleu(real_pairs())


def test_bleu_of_nothing_is_0_and_not_an_error() -> None:
    for order in coco_bleu_scores([[], ["lung"], []], [["lung"], [], []]):
        assert order == pytest.approx([0.0] * 3, abs=1e-6)


@few
@given(TOKEN_PAIRS)
def test_cider_is_that_of_the_coco_tools(pairs: Pairs) -> None:
    candidates, references = sides(pairs)
    assume(any(references))
    assert cider_scores(candidates, references) == pytest.approx(
        cider_of_coco(candidates, references), rel=1e-9, abs=1e-9
    )


def test_cider_on_real_captions() -> None:
    candidates, references = sides(real_pairs())
    ours = cider_scores(candidates, references)
    assert ours == pytest.approx(cider_of_coco(candidates, references), rel=1e-9)
    assert sum(ours) / len(ours) > 1


def test_cider_of_one_image_alone_is_0() -> None:
    tokens = ["axial", "ct", "scan", "of", "the", "liver"]
    assert cider_scores([tokens], [tokens]) == [0.0] == cider_of_coco([tokens], [tokens])


@pytest.mark.parametrize(
    ("candidates", "references"),
    [
        (["left lung mass"] * 3, ["left lung mass", "left lung mass", "liver cyst"]),  # repeated captions
        (["", "liver cyst"], ["left lung", "liver cyst"]),
        (["left lung", "liver"], ["", "liver cyst"]),
        (["lung lung lung lung", "liver"], ["lung", "liver cyst"]),  # weights are clipped
        (["a b c d e f g h", "liver"], ["a b", "liver cyst"]),  # the penalty on length
    ],
)
def test_cider_of_odd_sets(candidates: list[str], references: list[str]) -> None:
    ours, theirs = [one.split() for one in candidates], [one.split() for one in references]
    assert cider_scores(ours, theirs) == pytest.approx(cider_of_coco(ours, theirs), abs=1e-12)


def test_cider_of_empty_references_is_0_where_the_coco_tools_fail() -> None:
    assert cider_scores([["lung"], []], [[], []]) == [0.0, 0.0]
    with pytest.raises(ValueError, match="empty"):
        cider_of_coco([["lung"], []], [[], []])


def test_cider_depends_on_the_whole_set_and_not_on_its_order() -> None:
    candidates, references = sides(real_pairs()[:60])
    found = cider_scores(candidates, references)
    assert cider_scores(candidates[::-1], references[::-1])[::-1] == pytest.approx(found, rel=1e-12)
    assert cider_scores(candidates[:30], references[:30]) != pytest.approx(found[:30], rel=1e-3)


def test_all_are_metrics_of_the_registry_with_the_corpus_figure_beside() -> None:
    truth = {"a": "Left lung, 3 cm mass", "b": "axial CT of the liver"}
    said = {"a": "a 4 cm mass of the left lung", "b": "coronal CT of the liver"}
    report = score_captions(
        said, truth, edition="2023", metrics=["bleu1", "bleu2", "bleu3", "bleu4", "cider"]
    )
    prepared = [one.split() for one in prepare([*said.values(), *truth.values()], Preparation.P23)]
    total, each = bleu_of_coco(prepared[:2], prepared[2:])
    for n in range(4):
        score, corpus = report[f"bleu{n + 1}"], report[f"bleu{n + 1}_corpus"]
        assert score.values == pytest.approx(each[n], rel=1e-12, abs=1e-12)
        assert corpus.value == pytest.approx(total[n], rel=1e-12, abs=1e-12)
        assert corpus.values == ()
        assert corpus.signature.startswith(f"bleu{n + 1}_corpus|edition:2023|")
    assert report["cider"].values == pytest.approx(cider_of_coco(prepared[:2], prepared[2:]))
