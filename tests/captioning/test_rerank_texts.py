"""Rerankers that go by texts alone, against brute force; their place in the order of drafts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from captioning_samples_training import CPU
from hypothesis import given
from hypothesis import strategies as st
from reranking_samples import TEXTS, bert_folder, bert_model, tokens

from radcap.captioning.joining_settings import RerankSettings
from radcap.captioning.models.answers import Draft
from radcap.captioning.models.ranking import reranked
from radcap.captioning.reranking import Lessons, Reranker, Source, make_reranker
from radcap.captioning.reranking.sentence_encoder import open_sentence_encoder
from radcap.captioning.reranking.text_vectors import check_words
from radcap.captioning.texts.words import spoken_words
from radcap.core import InputError, Missing, UsageError
from radcap.metrics.rouge_n import rouge_n_scores

CAPTIONS = [
    "CT of the chest with a mass in the left lung.",
    "CT of the chest with a nodule in the right lung.",
    "MRI of the brain with a mass in the left lobe.",
    "Ultrasound of the liver with a cyst.",
]
DRAFTS = [
    ["CT of the chest.", "MRI of the brain.", "CT of the left lung."],
    [],
    ["A mass.", "Words unheard", "A mass."],
]


def source(folder: Path, **settings: Any) -> Source:
    lessons = Lessons(CAPTIONS, lambda: (CAPTIONS, np.zeros((4, 2), np.float32)))
    return Source(RerankSettings(**settings), CPU, folder, lessons)


def test_plain_drafts_stay_in_their_order(tmp_path: Path) -> None:
    plain = make_reranker(source(tmp_path, by="none"))
    assert plain.scores(DRAFTS, None) == [[0, -1, -2], [], [0, -1, 0]]
    plain.save(tmp_path / "kept")
    assert not (tmp_path / "kept").exists()


def test_consensus_is_the_mean_agreement(tmp_path: Path) -> None:
    consensus = make_reranker(source(tmp_path, by="consensus"))
    found = consensus.scores(DRAFTS, None)
    for some, scores in zip(DRAFTS, found, strict=True):
        wanted = [np.mean([rouge_n_scores([one], [other], 1)[0] for other in some]) for one in some]
        assert scores == pytest.approx(wanted)
    consensus.save(tmp_path / "kept")
    assert not (tmp_path / "kept").exists()


def test_a_metric_that_looks_at_images_cannot_agree(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot say how two captions agree"):
        make_reranker(source(tmp_path, by="consensus", metric="clipscore"))


def test_the_centroid_is_the_mean_of_vectors_of_words(tmp_path: Path) -> None:
    """Words are looked up one by one, and the rest is arithmetic."""
    made = make_reranker(source(tmp_path, by="centroid"))
    made.save(tmp_path)
    again: Any = make_reranker(Source(RerankSettings(by="centroid"), CPU, tmp_path))
    words = again.vectors.words
    table = dict(zip(words.words, words.matrix, strict=True))

    def unit(rows: Any) -> np.ndarray:
        length = np.linalg.norm(rows)
        return rows / length if length else rows

    for some, scores in zip(DRAFTS, again.scores(DRAFTS, None), strict=True):
        vectors = []
        for one in some:
            rows = [table[word] for word in spoken_words(one) if word in table]
            vectors.append(unit(np.mean(rows, axis=0)) if rows else np.zeros(words.matrix.shape[1]))
        middle = unit(np.mean(vectors, axis=0)) if vectors else 0
        assert scores == pytest.approx([float(one @ middle) for one in vectors], abs=1e-6)
    assert again.scores(DRAFTS, None) == made.scores(DRAFTS, None)


def test_words_that_are_gone_or_never_said_twice_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"words\.json cannot be used"):
        make_reranker(Source(RerankSettings(by="centroid"), CPU, tmp_path))
    check_words(CAPTIONS)
    for few in ([], ["Each word once.", "No others."]):
        with pytest.raises(UsageError, match=r"none of them is said twice. Give \[rerank\] model"):
            check_words(few)


def test_an_encoder_averages_its_tokens(tmp_path: Path) -> None:
    folder = bert_folder(tmp_path)
    encoder = open_sentence_encoder(str(folder), CPU)
    wanted = []
    for one in TEXTS:  # one by one, so that nothing is filled up
        with torch.no_grad():
            told = bert_model()(**tokens()(one, return_tensors="pt")).last_hidden_state[0].mean(dim=0)
        wanted.append((told / told.norm()).numpy())
    np.testing.assert_allclose(encoder(TEXTS), wanted, atol=1e-5)
    assert encoder([]).shape[0] == 0
    long = " ".join(["lung"] * 60)  # cut to what the network has places for
    np.testing.assert_allclose(encoder([long]), encoder([long + " lung"]), atol=1e-6)
    made = make_reranker(source(tmp_path, by="centroid", model=str(folder)))
    vectors = encoder(["bright ct", "dark mri"])
    middle = vectors.mean(axis=0) / np.linalg.norm(vectors.mean(axis=0))
    assert made.scores([["bright ct", "dark mri"]], None)[0] == pytest.approx(
        (vectors @ middle).tolist(), abs=1e-6
    )
    before = sorted(folder.iterdir())
    made.save(folder)
    assert sorted(folder.iterdir()) == before


def test_text_encoders_that_cannot_be_had_are_refused(tmp_path: Path) -> None:
    with pytest.raises(Missing, match=r"\[rerank\] model names it"):
        open_sentence_encoder(str(tmp_path / "nowhere"), CPU)
    folder = bert_folder(tmp_path / "bert")
    config = (folder / "config.json").read_text()
    for name, text, told in (
        ("config.json", config.replace('"bert"', '"gpt2"'), "describes a 'gpt2', which is no text encoder"),
        ("config.json", config.replace("64,", '"wide",'), "describes no BertModel"),
        ("config.json", config.replace('"vocab_size": 20', '"vocab_size": 21'), "absent or of another shape"),
        ("tokenizer.json", "{", "has no tokenizer that can be opened"),
    ):
        before = (folder / name).read_text()
        (folder / name).write_text(text)
        with pytest.raises(InputError, match=told):
            open_sentence_encoder(str(folder), CPU)
        (folder / name).write_text(before)
    (folder / "model.safetensors").unlink()
    with pytest.raises(InputError, match="holds no weights"):
        open_sentence_encoder(str(folder), CPU)


class ByLength:
    """Long drafts are good."""

    looks = False
    eyes = None

    def scores(self, drafts: Any, sight: Any) -> list[list[float]]:
        assert sight is None
        assert all(one.strip() for some in drafts for one in some)
        return [[float(len(one)) for one in some] for some in drafts]

    def save(self, folder: Path) -> None:
        raise AssertionError(folder)


@given(st.lists(st.lists(st.sampled_from(["", " ", "a", "b", "cc", "ddd"]), max_size=6), max_size=4))
def test_drafts_come_by_score_then_by_place_and_empty_ones_last(texts: list[list[str]]) -> None:
    drafts = [[Draft(one, n, -n, source=str(n)) for n, one in enumerate(some)] for some in texts]
    reranker: Reranker = ByLength()
    for some, found in zip(drafts, reranked(drafts, reranker, None), strict=True):
        wanted = sorted(some, key=lambda one: (not one.text.strip(), -len(one.text.strip()), int(one.source)))
        assert [one.source for one in found] == [one.source for one in wanted]
        assert [one.log_probability for one in found] == [one.log_probability for one in wanted]
        scores = [one.score for one in found]
        assert scores == sorted(scores, reverse=True)


def test_a_draft_knows_its_source_and_the_log_keeps_its_keys() -> None:
    known = {"text": "a", "score": 1.0, "log_probability": None, "unsupported": []}
    assert Draft("a", 1.0).to_json() == known
    assert Draft("a", 1.0, source="b").to_json() == {**known, "source": "b"}
