"""Word vectors: counted by hand, decomposed by scikit-learn and numpy, saved and opened."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.decomposition import TruncatedSVD

from radcap.captioning.texts import word_vectors
from radcap.captioning.texts.pair_tables import PairTable, leading_vectors, positive_information
from radcap.captioning.texts.word_vectors import fit_word_vectors, load_word_vectors
from radcap.captioning.texts.words import spoken_words
from radcap.core import InputError, Missing
from radcap.detection.retrieval.tensors import write_tensors

CAPTIONS = [
    "Axial CT of the chest with a nodule.",
    "Axial CT of the abdomen, with a mass in the liver.",
    "Sagittal MRI of the brain with a mass.",
    "Chest radiograph: effusion and nodule of the chest",
    "MRI of the spine. Sagittal MRI.",
]


def counted_by_hand(captions: list[str], words: tuple[str, ...]) -> np.ndarray:
    table: Counter[tuple[str, str]] = Counter()
    for caption in captions:
        said = [word for word in spoken_words(caption) if word in words]
        for i, one in enumerate(said):
            for j, other in enumerate(said):
                if i != j and abs(i - j) <= 5:
                    table[one, other] += 1
    return np.array([[table[one, other] for other in words] for one in words], float)


def information_by_hand(counts: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore", invalid="ignore"):
        chance = np.outer(counts.sum(1), counts.sum(0)) / counts.sum()
        return np.nan_to_num(np.maximum(np.log(counts / chance), 0), nan=0.0)


def table_of(dense: np.ndarray) -> PairTable:
    rows, columns = np.nonzero(dense)
    return PairTable(len(dense), rows, columns, dense[rows, columns])


def symmetric(size: int, seed: int, share: float = 0.2) -> np.ndarray:
    dice = np.random.default_rng(seed)
    upper = np.triu(dice.random((size, size)) * (dice.random((size, size)) < share))
    return upper + upper.T


def test_vectors_are_those_of_the_plain_decomposition_of_what_was_counted() -> None:
    vectors = fit_word_vectors(CAPTIONS, width=4)
    assert vectors.words[:4] == ("the", "of", "a", "chest")
    assert "effusion" not in vectors  # said once
    information = information_by_hand(counted_by_hand(CAPTIONS, vectors.words))
    left, values, _ = np.linalg.svd(information)
    plain = left[:, :4] * np.sqrt(values[:4])
    plain /= np.linalg.norm(plain, axis=1, keepdims=True)
    assert np.allclose(vectors.matrix @ vectors.matrix.T, plain @ plain.T, atol=1e-5)
    assert np.allclose(np.abs(vectors.matrix), np.abs(plain), atol=1e-5)  # up to the sign of an axis


def test_a_large_table_is_decomposed_as_scikit_learn_does() -> None:
    dense = symmetric(300, 1) + 3 * np.kron(np.eye(6), np.ones((50, 50)))  # six directions that stand out
    ours = leading_vectors(table_of(dense), 6)
    theirs = TruncatedSVD(6, algorithm="arpack", random_state=0).fit(dense)
    assert np.allclose((ours**2).sum(axis=0), theirs.singular_values_, rtol=1e-6)
    directions = ours / np.linalg.norm(ours, axis=0)
    assert np.allclose(np.abs((theirs.components_ * directions.T).sum(axis=1)), 1, atol=1e-6)


@given(st.integers(1, 40), st.integers(0, 5), st.integers(1, 12))
def test_a_product_is_that_of_the_whole_table(size: int, seed: int, width: int) -> None:
    dense = symmetric(size, seed)
    other = np.random.default_rng(seed).standard_normal((size, width))
    assert np.allclose(table_of(dense).times(other), dense @ other)


def test_a_product_in_many_parts_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    dense = symmetric(20, 3, 0.5)
    whole = table_of(dense).times(np.eye(20))
    monkeypatch.setattr("radcap.captioning.texts.pair_tables._CELLS", 60)  # three cells a part
    assert np.allclose(table_of(dense).times(np.eye(20)), whole)
    assert np.allclose(whole, dense)


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=30))
def test_pairs_are_counted_both_ways(pairs: list[tuple[int, int]]) -> None:
    first, second = (np.array([pair[side] for pair in pairs], np.int64) for side in (0, 1))
    table = PairTable.of(7, [(first[:4], second[:4]), (first[4:], second[4:])])
    dense = np.zeros((7, 7))
    for one, other in pairs:
        dense[one, other] += 1
        dense[other, one] += 1
    found = np.zeros((7, 7))
    found[table.rows, table.columns] = table.values
    assert np.array_equal(found, dense)
    assert np.array_equal(table.sums(), dense.sum(axis=1))
    told = positive_information(table)
    assert (told.values > 0).all()
    again = np.zeros((7, 7))
    again[told.rows, told.columns] = told.values
    assert np.allclose(again, information_by_hand(dense)) if pairs else not again.any()


def test_the_same_captions_and_seed_give_the_same_vectors() -> None:
    one, other = (fit_word_vectors(CAPTIONS, width=3, seed=7) for _ in range(2))
    assert np.array_equal(one.matrix, other.matrix)
    assert (one.matrix[np.abs(one.matrix).argmax(axis=0), range(3)] != 0).all()
    turned = fit_word_vectors(CAPTIONS, width=3, seed=8)  # another beginning, the same end
    assert np.allclose(one.matrix, turned.matrix, atol=1e-4)


def test_words_of_the_same_places_are_alike() -> None:
    texts = [f"{noun} of the {organ}" for noun in ("mass", "nodule") for organ in ("liver", "lung")]
    texts += [f"{view} radiograph showing fracture" for view in ("frontal", "lateral")]
    vectors = fit_word_vectors(texts * 3, width=8)
    ((alike, apart),) = vectors.cosines(["mass"], ["nodule", "lateral"])
    assert alike > 0.9
    assert apart < 0.3


def test_a_text_is_the_mean_of_its_words_and_unknown_ones_are_nothing() -> None:
    vectors = fit_word_vectors(CAPTIONS, width=4)
    assert np.allclose(vectors.of("Mass, MRI xyz"), vectors.rows(["mass", "mri"]).mean(axis=0))
    assert not vectors.of("xyz").any()
    cosines = vectors.cosines(["mass", "xyz", "mass mri"], ["MRI", "mass", ""])
    assert cosines.shape == (3, 3)
    assert cosines[0, 1] == pytest.approx(1)
    assert not cosines[1].any()
    assert not cosines[:, 2].any()
    mean = vectors.of("mass mri")
    assert cosines[2, 0] == pytest.approx(mean @ vectors.of("mri") / np.linalg.norm(mean), abs=1e-6)
    assert vectors.cosines([], ["mass"]).shape == (0, 1)


def test_no_captions_give_no_words() -> None:
    vectors = fit_word_vectors([], width=5)
    assert vectors.words == ()
    assert not vectors.of("mass").any()


def test_only_so_many_words_are_learnt(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_vectors, "_MOST", 3)
    assert fit_word_vectors(CAPTIONS).words == ("the", "of", "a")


def test_vectors_are_saved_and_opened(tmp_path: Path) -> None:
    made = fit_word_vectors(CAPTIONS, width=4)
    made.save(tmp_path / "words.safetensors")
    opened = load_word_vectors(tmp_path / "words.safetensors")
    assert opened.words == made.words
    assert np.array_equal(opened.matrix, made.matrix)
    none = fit_word_vectors([])
    none.save(tmp_path / "none.safetensors")
    assert load_word_vectors(tmp_path / "none.safetensors").words == ()


@pytest.mark.parametrize(
    "text",
    [
        *("{", "[]", "{}", "[" * 9999),
        *('{"words": 3}', '{"words": [1]}', '{"words": ["a", "a"]}', '{"words": ["a"]}'),
    ],
)
def test_words_that_do_not_fit_are_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "words.safetensors"
    fit_word_vectors(CAPTIONS, width=4).save(path)
    path.with_suffix(".json").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="Fit the word vectors again"):
        load_word_vectors(path)


def test_vectors_that_are_none_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "words.safetensors"
    with pytest.raises(InputError, match=r"words.json cannot be used"):
        load_word_vectors(path)
    path.with_suffix(".json").write_text(json.dumps({"words": ["a", "b"]}), encoding="utf-8")
    with pytest.raises(Missing):
        load_word_vectors(path)
    for bad in (np.full((2, 3), np.nan), np.zeros((3, 3)), np.zeros(2)):
        write_tensors({"vectors": bad.astype(np.float32)}, path)
        with pytest.raises(InputError, match="no finite row 'vectors' for each of 2 words"):
            load_word_vectors(path)
    write_tensors({"others": np.zeros((2, 3), np.float32)}, path)
    with pytest.raises(InputError, match="no finite row"):
        load_word_vectors(path)
    path.write_bytes(b"no tensors")
    with pytest.raises(InputError, match="no safetensors file"):
        load_word_vectors(path)
