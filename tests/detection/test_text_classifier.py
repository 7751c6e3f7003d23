"""Terms, their weights, logistic regression over them, and the classifier as files; beside scikit-learn."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from training_samples import drawn

from radcap.core import InputError
from radcap.detection.examples import label_matrix
from radcap.detection.models import ModelFolder
from radcap.detection.text import logistic
from radcap.detection.text.classifier import fit_classifier, load_classifier, save_classifier
from radcap.detection.text.features import Features, terms
from radcap.detection.text.logistic import Bags, fit_logistic
from radcap.detection.text.tellers import Captions
from radcap.vision.weight_files import read_weight_file, write_weight_file

TEXTS = ("CT of the chest with a mass, a mass.", "Chest X-ray", "Oedema of the feet", "", "CTs: masses")


def captions() -> tuple[list[str], np.ndarray]:
    data = drawn().split("train")
    labels = tuple(sorted({cui for cuis in data.column("cui").to_pylist() for cui in cuis}))
    return list(Captions().tell(data).texts), label_matrix(data, labels)


def dense(features: Features, texts: Any) -> np.ndarray:
    """By the definition of a sparse matrix."""
    rows = features.rows(texts)
    matrix = np.zeros(rows.shape)
    matrix[rows.row, rows.column] = rows.value
    return matrix


_elements: Any = lambda text: list(terms(text).elements())  # noqa: E731 - typed as a name there


def test_terms_are_words_and_pairs_in_their_normal_form() -> None:
    assert terms("Oedema, oedemas") == {"edema": 2, "edema edema": 1}
    assert terms(" .,; ") == {}


@pytest.mark.parametrize("texts", [TEXTS, captions()[0]], ids=["few", "synthetic"])
def test_weights_of_terms_are_those_of_scikit_learn(texts: list[str]) -> None:
    theirs: Any = TfidfVectorizer(analyzer=_elements, sublinear_tf=True)
    wanted = theirs.fit_transform(texts).toarray()
    features = Features.of(texts)
    places = [theirs.vocabulary_[term] for term in features.terms]
    assert sorted(places) == list(range(len(places)))
    np.testing.assert_allclose(dense(features, texts), wanted[:, places], atol=1e-12)


def test_the_commonest_terms_are_kept_and_others_tell_nothing() -> None:
    features = Features.of(TEXTS, most=3)
    assert features.terms == ("chest", "ct", "mass")
    rows = dense(features, ["nothing of that", "chest"])
    np.testing.assert_array_equal(rows, [[0, 0, 0], [1, 0, 0]])


def test_sums_over_bags_are_products_of_matrices() -> None:
    features = Features.of(TEXTS)
    rows, wanted = features.rows(TEXTS), dense(features, TEXTS)
    right, left = np.random.default_rng(0).random((2, len(features.terms), 3)).astype(np.float32)
    np.testing.assert_allclose(Bags.of(rows) @ torch.from_numpy(right), wanted @ right, rtol=1e-5)
    turned = Bags.of(rows, turned=True) @ torch.from_numpy(left[: len(TEXTS)])
    np.testing.assert_allclose(turned, wanted.T @ left[: len(TEXTS)], rtol=1e-5)


def test_weights_are_those_of_scikit_learn_label_by_label(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logistic, "_BLOCK", 7)  # several blocks, the last of them smaller
    texts, truth = captions()
    features = Features.of(texts)
    weight, offset = fit_logistic(features.rows(texts), truth, 4.0)
    matrix = dense(features, texts)
    for label in range(0, truth.shape[1], 9):
        theirs = LogisticRegression(C=4.0, tol=1e-8, solver="newton-cholesky").fit(matrix, truth[:, label])
        np.testing.assert_allclose(weight[label].numpy(), theirs.coef_[0], atol=0.01)
        assert float(offset[label]) == pytest.approx(float(theirs.intercept_[0]), abs=0.01)


def test_the_same_texts_give_the_same_weights_and_every_caption_its_concepts() -> None:
    texts, truth = captions()
    one, other = fit_classifier(texts, truth), fit_classifier(texts, truth)
    assert torch.equal(one.weight, other.weight)
    assert torch.equal(one.offset, other.offset)
    assert ((one.read(texts) >= 0) == truth).mean() > 0.99


def test_a_text_without_known_words_scores_as_the_labels_are_shared() -> None:
    texts, truth = captions()
    classifier = fit_classifier(texts, truth)
    told = classifier.read(["", "zzz"])
    np.testing.assert_allclose(told, np.tile(classifier.offset.numpy(), (2, 1)), rtol=1e-6)
    assert classifier.read([]).shape == (0, truth.shape[1])


def test_a_label_of_every_text_is_learnt_too() -> None:
    classifier = fit_classifier(["chest", "spine", "chest"], np.ones((3, 1), np.bool_))
    assert (classifier.read(["chest", "spine"]) > 3).all()
    assert np.isfinite(classifier.read(["chest"])).all()


@pytest.fixture
def folder(tmp_path: Path) -> ModelFolder:
    texts, truth = captions()
    made = ModelFolder(tmp_path)
    save_classifier(fit_classifier(texts, truth), made)
    return made


def test_a_classifier_is_the_same_after_its_files(folder: ModelFolder) -> None:
    texts, truth = captions()
    assert sorted(one.name for one in folder.path.iterdir()) == ["model.safetensors", "words.json"]
    opened = load_classifier(folder, truth.shape[1])
    np.testing.assert_allclose(opened.read(texts), fit_classifier(texts, truth).read(texts), atol=0.02)


def test_files_that_do_not_fit_are_refused(folder: ModelFolder) -> None:
    labels = captions()[1].shape[1]
    with pytest.raises(
        InputError, match=r"model.safetensors cannot be used: it has not a number for each of"
    ):
        load_classifier(folder, labels + 1)
    held = read_weight_file(folder.weights)
    write_weight_file({**held, "offset": held["offset"] * float("nan")}, folder.weights)
    with pytest.raises(InputError, match="it holds what is no number"):
        load_classifier(folder, labels)
    folder.weights.write_bytes(b"nothing")
    with pytest.raises(InputError, match="damaged or not whole"):
        load_classifier(folder, labels)


@pytest.mark.parametrize(
    "told", [{}, {"terms": "chest"}, {"terms": ["a", "a"]}, {"terms": ["a", 1]}, {"terms": []}]
)
def test_words_that_are_none_are_refused(folder: ModelFolder, told: Any) -> None:
    (folder.path / "words.json").write_text(json.dumps(told))
    with pytest.raises(InputError, match="it holds no list of different words under 'terms'"):
        load_classifier(folder, 3)
