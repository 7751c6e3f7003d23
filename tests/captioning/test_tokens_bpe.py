"""Our BPE: exact, complete, and the same as that of the `tokenizers` library."""

from __future__ import annotations

import json
import pickle
import random
from collections import Counter
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from captioning_samples_texts import real_captions, texts
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, trainers

from radcap.captioning.tokens import BpeTokenizer, open_tokenizer, train_bpe
from radcap.captioning.tokens.alphabet import BYTES, bytes_of, spelled
from radcap.captioning.tokens.learning import learn_merges
from radcap.captioning.tokens.merging import Merge, merge_word
from radcap.captioning.tokens.splitting import PATTERN, words_of
from radcap.core import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SIZE = 900
MARKS = ["<pad>", "<s>", "</s>"]


@cache
def learnt() -> BpeTokenizer:
    return train_bpe(real_captions(), SIZE)


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Tokenizer:
    """The library, with our file."""
    path = tmp_path_factory.mktemp("tokens") / "tokenizer.json"
    learnt().save(path)
    return loaded(path)


def loaded(path: Path) -> Any:
    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.encode_special_tokens = True  # a mark that is spelled in a text is text, as with ours
    return tokenizer


def trained(captions: Sequence[str], size: int) -> Tokenizer:
    """A tokenizer that the library learnt, with our settings."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.Prepend(" ")  # pyright: ignore[reportAttributeAccessIssue]
    bytes_only = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    split = pre_tokenizers.Split(Regex(PATTERN), "isolated")
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([split, bytes_only])  # pyright: ignore
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=size, min_frequency=2, special_tokens=MARKS, initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator(captions, trainer)
    return tokenizer


def test_bytes_are_spelled_as_the_library_spells_them() -> None:
    assert sorted(map(spelled, BYTES)) == sorted(pre_tokenizers.ByteLevel.alphabet())
    assert [spelled(byte) for byte in BYTES] == sorted(map(spelled, BYTES))
    assert [bytes_of(spelled(byte)) for byte in BYTES] == list(BYTES)
    assert set(BYTES) == {bytes([byte]) for byte in range(256)}


@given(texts)
def test_words_are_the_text_split_as_the_library_splits_it(text: str) -> None:
    text = text.encode("utf-8", "replace").decode()
    assert "".join(words_of(text)) == text
    split = pre_tokenizers.Split(Regex(PATTERN), "isolated").pre_tokenize_str(text)
    assert words_of(text) == [word for word, _ in split]


def test_marks_come_first_and_every_byte_is_there() -> None:
    tokenizer = learnt()
    assert (tokenizer.pad, tokenizer.begin, tokenizer.end, tokenizer.size) == (0, 1, 2, SIZE)
    assert tokenizer.parts.pieces[:256] == BYTES
    assert len(set(tokenizer.parts.pieces)) == SIZE - 3


def test_merges_are_those_that_the_library_learns(reference: Tokenizer) -> None:
    # ties too: both take the pair whose pieces have the smaller numbers, and number bytes alike
    other = trained(real_captions(), SIZE)
    ours, theirs = (json.loads(one.to_str())["model"] for one in (reference, other))
    assert ours["merges"] == theirs["merges"]
    assert ours["vocab"] == theirs["vocab"]


@given(st.lists(st.text("ab c", max_size=12), max_size=12))
def test_ties_and_repeats_are_learnt_as_the_library_learns_them(captions: list[str]) -> None:
    library, ours = trained(captions, 290), train_bpe(captions, 290)
    other, parts = json.loads(library.to_str())["model"], ours.parts
    assert [[spelled(left), spelled(right)] for left, right in parts.merges] == other["merges"]
    assert [spelled(piece) for piece in parts.pieces] == list(other["vocab"])[3:]
    assert [library.encode(one).ids for one in captions] == [ours.encode(one) for one in captions]


@given(texts)
def test_what_is_encoded_is_decoded(text: str) -> None:
    text = text.encode("utf-8", "replace").decode()
    tokens = learnt().encode(text)
    assert learnt().decode(tokens) == text
    assert all(3 <= token < SIZE for token in tokens)


def test_half_a_surrogate_pair_is_a_question_mark() -> None:
    assert learnt().decode(learnt().encode("CT \ud800 head")) == "CT ? head"
    assert train_bpe(["\ud800"] * 3, 262).parts.pieces[-1] == b" ?"


@given(texts)
def test_the_library_encodes_and_decodes_our_file_as_we_do(reference: Tokenizer, text: str) -> None:
    text = text.encode("utf-8", "replace").decode()
    assert reference.encode(text).ids == learnt().encode(text)
    assert reference.decode(learnt().encode(text)) == text


def test_real_captions_are_encoded_alike(reference: Tokenizer) -> None:
    captions = real_captions()
    assert len(captions) > 200
    assert [one.ids for one in reference.encode_batch(captions)] == [learnt().encode(one) for one in captions]


@given(st.lists(st.integers(-5, SIZE + 5)))
def test_any_tokens_give_text(reference: Tokenizer, tokens: list[int]) -> None:
    text = learnt().decode(tokens)
    assert text == learnt().decode([token for token in tokens if 2 < token < SIZE])
    assert text == reference.decode([token for token in tokens if token >= 0])


def test_a_mark_that_is_spelled_is_text() -> None:
    text = "<s>CT</s><pad>"
    tokens = learnt().encode(text)
    assert min(tokens) > 2
    assert learnt().decode([1, *tokens, 2, 0, 0]) == text


def test_nothing_is_nothing() -> None:
    assert learnt().encode("") == []
    assert learnt().decode([]) == ""
    assert train_bpe([], 300).size == 259
    assert train_bpe([""], 300).size == 259


def test_a_word_has_the_same_pieces_at_the_beginning_and_inside() -> None:
    tokenizer = learnt()
    first = tokenizer.encode("chest")
    assert tokenizer.encode("the chest")[-len(first) :] == first


def test_learning_does_not_depend_on_the_order_of_texts() -> None:
    captions = list(real_captions()[:60])
    first = train_bpe(captions, 400)
    random.Random(3).shuffle(captions)  # noqa: S311 - no secret
    assert train_bpe(captions, 400) == first


def test_a_vocabulary_without_room_for_the_bytes_is_refused() -> None:
    with pytest.raises(UsageError, match=r"258 tokens .* alone are 259. Ask for more."):
        train_bpe(["CT"], 258)


def test_pairs_that_occur_once_are_not_learnt() -> None:
    assert train_bpe(["ab", "cd"], 300).size == 259
    assert train_bpe(["ab", "ad"], 300).size == 260  # the blank and a


def test_a_word_without_end_is_neither_learnt_from_nor_kept() -> None:
    word = "ab" * 20_000
    tokenizer = train_bpe([word, word, "abc", "abc"], 300)
    assert max(map(len, tokenizer.parts.pieces)) == 4
    assert tokenizer.decode(tokenizer.encode(word)) == word
    again = tokenizer.encode("x" * 65)
    assert tokenizer.encode("x" * 65) == again


@given(st.lists(st.integers(0, 3), max_size=14), st.integers(0, 2**32))
def test_merging_is_what_the_definition_says(word: list[int], seed: int) -> None:
    merges = some_merges(random.Random(seed))  # noqa: S311 - no secret
    assert merge_word(word, merges) == by_definition(word, merges)


def some_merges(random: random.Random) -> dict[tuple[int, int], Merge]:
    """Merges of pieces that exist when they are learnt."""
    merges: dict[tuple[int, int], Merge] = {}
    for rank in range(8):
        pair = (random.randrange(4 + rank), random.randrange(4 + rank))
        merges.setdefault(pair, Merge(rank, 4 + rank))
    return merges


def by_definition(word: list[int], merges: Mapping[tuple[int, int], Merge]) -> list[int]:
    """Again and again the earliest merge, the leftmost first."""
    word = list(word)
    while True:
        found = [(merges[pair].rank, i) for i, pair in enumerate(pairwise(word)) if pair in merges]
        if not found:
            return word
        place = min(found)[1]
        word[place : place + 2] = [merges[word[place], word[place + 1]].number]


@given(st.dictionaries(st.binary(min_size=1, max_size=6), st.integers(1, 9), max_size=8))
def test_learning_takes_the_most_frequent_pair_of_a_full_count(words: dict[bytes, int]) -> None:
    pieces = list(BYTES)
    cut = {word: [word[i : i + 1] for i in range(len(word))] for word in words}
    for left, right in learn_merges(words, BYTES, 5):
        counts: Counter[tuple[int, int]] = Counter()
        for word, times in words.items():
            numbers = [pieces.index(one) for one in cut[word]]
            for pair in pairwise(numbers):
                counts[pair] += times
        most = max(counts.values())
        assert most >= 2
        assert (left, right) == min(pair for pair, count in counts.items() if count == most)
        for word in words:
            cut[word] = joined(cut[word], pieces[left], pieces[right])
        pieces.append(pieces[left] + pieces[right])
    assert len(set(pieces)) == len(pieces)


def joined(word: list[bytes], left: bytes, right: bytes) -> list[bytes]:
    out: list[bytes] = []
    i = 0
    while i < len(word):
        both = word[i : i + 2] == [left, right]
        out.append(left + right if both else word[i])
        i += 1 + both
    return out


def test_a_saved_tokenizer_is_the_same(tmp_path: Path) -> None:
    learnt().save(tmp_path / "tokenizer.json")
    assert open_tokenizer(tmp_path) == learnt()
    assert open_tokenizer(tmp_path / "tokenizer.json") == learnt()
    assert [path.name for path in tmp_path.iterdir()] == ["tokenizer.json"]


def test_a_file_that_the_library_wrote_again_is_still_ours(tmp_path: Path, reference: Tokenizer) -> None:
    reference.save(str(tmp_path / "tokenizer.json"))
    assert open_tokenizer(tmp_path) == learnt()


def test_it_travels_to_other_processes() -> None:
    again = pickle.loads(pickle.dumps(learnt()))  # noqa: S301 - our own bytes
    assert again == learnt()
    assert again.encode("CT of the chest") == learnt().encode("CT of the chest")
