"""Tokenizer files: ours, somebody else's, and those that are neither."""

from __future__ import annotations

import json
import os
import sys
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from captioning_samples_texts import real_captions, texts
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers

from radcap.captioning.tokens import documents, open_tokenizer, tokenizer_digest, train_bpe
from radcap.captioning.tokens.bpe import BpeTokenizer
from radcap.captioning.tokens.hugging_face import HuggingFaceTokenizer
from radcap.core import InputError, Missing


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "tokenizer.json"


@cache
def ours() -> str:
    """The text of a file of ours."""
    path = Path(os.environ["RADCAP_CACHE"]).parent / "captioning-tokens" / str(os.getpid()) / "tokenizer.json"
    train_bpe(["CT of the head", "CT of the hand"], 266).save(path)
    return path.read_text(encoding="utf-8")


@cache
def theirs(*special: str) -> str:
    """A file of another layout: byte-level BPE as GPT-2 has it."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)  # pyright: ignore
    tokenizer.decoder = decoders.ByteLevel()  # pyright: ignore[reportAttributeAccessIssue]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=400, special_tokens=list(special), initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator(real_captions()[:40], trainer)
    if special:
        tokenizer.post_processor = processors.TemplateProcessing(  # pyright: ignore
            single=f"{special[0]} $A", special_tokens=[(special[0], 0)]
        )
    return tokenizer.to_str()


def put(path: Path, text: str, **beside: object) -> Path:
    path.write_text(text, encoding="utf-8")
    for name, value in beside.items():
        (path.parent / f"{name}.json").write_text(json.dumps(value), encoding="utf-8")
    return path


def foreign(path: Path) -> HuggingFaceTokenizer:
    tokenizer = open_tokenizer(path)
    assert isinstance(tokenizer, HuggingFaceTokenizer)
    return tokenizer


def test_ours_is_read_without_the_package(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    tokenizer = open_tokenizer(put(file, ours()).parent)
    assert isinstance(tokenizer, BpeTokenizer)
    assert tokenizer.decode(tokenizer.encode("CT of the hand")) == "CT of the hand"


def test_others_need_the_package(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(file, theirs("</s>"))
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(Missing, match=r"tokenizers is missing.*pip install 'radcap\[lm\]'"):
        open_tokenizer(file)


def test_a_byte_order_mark_is_no_fault(file: Path) -> None:
    assert open_tokenizer(put(file, "\ufeff" + ours())).size == 266


def test_the_digest_is_that_of_the_file(file: Path) -> None:
    put(file, ours())
    assert tokenizer_digest(file) == tokenizer_digest(file.parent) == sha256(file.read_bytes()).hexdigest()


@pytest.mark.parametrize("call", [open_tokenizer, tokenizer_digest])
def test_nothing_there_is_refused(file: Path, call: Any) -> None:
    with pytest.raises(
        InputError, match=r"There is no tokenizer at .*tokenizer.json\. .* Give a tokenizer.json"
    ):
        call(file.parent)


DAMAGES: list[tuple[str, Any, str]] = [
    ("empty", lambda text: "", "it is no JSON"),
    ("truncated", lambda text: text[: len(text) // 2], "it is no JSON"),
    ("nested without end", lambda text: "[" * 100_000, "it is no JSON"),
    ("a number without end", lambda text: '{"model": ' + "9" * 5000 + "}", "it is no JSON"),
    ("a list", lambda text: "[1]", "it is no JSON object"),
    ("no tokenizer", lambda text: '{"a": 1}', "the package tokenizers says"),
    ("no model", lambda text: edited(text, model=None), "the package tokenizers says"),
    ("another model", lambda text: text.replace('"type": "BPE"', '"type": "X"'), "the package tokenizers"),
    ("a newer layout", lambda text: text.replace('"version": "1.0"', '"version": "9.0"'), "the package"),
    ("no vocabulary", lambda text: model(text, vocab=3), "it has no vocabulary"),
    ("no numbers", lambda text: model(text, vocab={"a": "b"}), "not numbered from 0 on"),
    ("true is no 1", lambda text: model(text, vocab={"<pad>": 0, "<s>": True}), "not numbered from 0 on"),
    ("a number twice", lambda text: model(text, vocab={"a": 0, "b": 0}), "not numbered from 0 on"),
    ("few tokens", lambda text: model(text, vocab={"<pad>": 0}), "first tokens are not <pad>, <s>, </s>"),
    ("no marks", lambda text: text.replace('"<pad>": 0', '"<bad>": 0'), "first tokens are not <pad>"),
    ("no byte", lambda text: text.replace('"a": ', '"漢": '), "spells '漢', which stands for no byte"),
    ("lacks bytes", lambda text: text.replace('"~": ', '"~~": '), "its vocabulary lacks bytes"),
    ("no merges", lambda text: model(text, merges=None), "it has no merges"),
    ("a merge of one", lambda text: model(text, merges=["a"]), "the merge 'a' is no pair of tokens"),
    ("a merge of none", lambda text: model(text, merges=["a "]), "the merge 'a ' is no pair of tokens"),
    ("a merge of three", lambda text: model(text, merges=[["a", "b", "c"]]), "is no pair of tokens"),
    ("a merge of numbers", lambda text: model(text, merges=[[1, 2]]), "is no pair of tokens"),
    ("a merge that is null", lambda text: model(text, merges=[None]), "is no pair of tokens"),
    ("a merge of no bytes", lambda text: model(text, merges=["漢 a"]), "is no pair of tokens"),
    ("a merge of nothing known", lambda text: model(text, merges=["~ ~"]), "do not fit together"),
    ("a merge twice", lambda text: model(text, merges=["Ġ C"] * 2), "do not fit together"),
]


def edited(text: str, **parts: object) -> str:
    return json.dumps({**json.loads(text), **parts})


def model(text: str, **parts: object) -> str:
    return edited(text, model={**json.loads(text)["model"], **parts})


@pytest.mark.parametrize(("name", "damage", "said"), DAMAGES, ids=[row[0] for row in DAMAGES])
def test_damage_is_told(file: Path, name: str, damage: Any, said: str) -> None:
    with pytest.raises(InputError) as caught:
        open_tokenizer(put(file, damage(ours())))
    assert said in str(caught.value)
    assert str(caught.value).startswith(f"{file} cannot be used: ")
    assert "get it again" in str(caught.value)
    assert len(str(caught.value)) < 600


def test_what_is_no_text_or_no_file_or_too_much_is_refused(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.write_bytes(b"\xff\xfe{}")
    with pytest.raises(InputError, match="codec can't decode"):
        open_tokenizer(file)
    put(file, ours())
    monkeypatch.setattr(documents, "_MOST", 100)
    with pytest.raises(InputError, match=r"it has [\d,]+ bytes"):
        open_tokenizer(file)
    file.unlink()
    os.mkfifo(file)
    with pytest.raises(InputError, match="it is no regular file"):
        open_tokenizer(file)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 10**6), st.text(max_size=3), st.integers(0, 40))
def test_a_file_that_was_tampered_with_is_refused_or_works(
    tmp_path: Path, at: int, new: str, cut: int
) -> None:
    text = ours()
    at %= len(text)
    new = new.encode("utf-8", "replace").decode()
    path = put(tmp_path / "tokenizer.json", text[:at] + new + text[at + cut :])
    try:
        tokenizer = open_tokenizer(path)
    except InputError as error:
        told = str(error)
    else:
        told = ""
        assert all(0 <= token < tokenizer.size for token in tokenizer.encode("CT of the head"))
        assert isinstance(tokenizer.decode(range(tokenizer.size)), str)
    assert not told or "cannot be used" in told


def test_what_is_foreign_says_so(file: Path) -> None:
    """Our file with another rule of any kind is read by the package, and gives what the package gives."""
    text = edited(ours(), normalizer={"type": "Lowercase"})
    tokenizer = foreign(put(file, text))
    assert tokenizer.decode(tokenizer.encode("HEAD")) == "head"
    assert (tokenizer.pad, tokenizer.begin, tokenizer.end) == (0, 1, 2)
    changed = foreign(put(file, model(ours(), unk_token="<pad>")))  # noqa: S106 - no password
    assert changed.size == 266


@given(text=texts)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_theirs_reads_back_what_it_wrote(file: Path, text: str) -> None:
    tokenizer = foreign(put(file, theirs("<s>", "</s>", "<pad>")))
    assert tokenizer.decode(tokenizer.encode(text)) == text.encode("utf-8", "replace").decode()


def test_theirs_leaves_marks_out_and_takes_none_from_text(file: Path) -> None:
    tokenizer = foreign(put(file, theirs("<s>", "</s>", "<pad>")))
    assert (tokenizer.begin, tokenizer.end, tokenizer.pad) == (0, 1, 2)
    tokens = tokenizer.encode("a</s>b")
    assert min(tokens) > 2
    assert tokenizer.decode([0, *tokens, 1, 2, 2, -1, tokenizer.size, 1 << 40]) == "a</s>b"
    library = Tokenizer.from_str(theirs("<s>", "</s>", "<pad>"))
    captions = real_captions()[:50]
    assert [tokenizer.encode(one) for one in captions] == [
        library.encode(one, add_special_tokens=False).ids for one in captions
    ]


MARKS: list[tuple[tuple[str, ...], dict[str, object], tuple[int, int, int]]] = [
    (("<|endoftext|>",), {}, (0, 0, 0)),
    (("[PAD]", "[CLS]", "[SEP]"), {}, (0, 1, 2)),
    (("<a>", "<b>", "<c>"), {"tokenizer_config": {"eos_token": "<b>"}}, (1, 1, 1)),
    (
        ("<a>", "<b>", "<c>"),
        {"tokenizer_config": {"eos_token": {"content": "<b>"}, "pad_token": None}},
        (1, 1, 1),
    ),
    (("<a>", "<b>", "<c>"), {"special_tokens_map": {"eos_token": "<a>", "bos_token": "<c>"}}, (0, 2, 0)),
    (
        ("<a>", "<b>", "<c>"),
        {"special_tokens_map": {"eos_token": "<a>"}, "tokenizer_config": {"eos_token": "<b>", "x": 1}},
        (1, 1, 1),
    ),
    (("<s>", "<b>"), {"tokenizer_config": {"eos_token": "<b>"}}, (1, 1, 1)),  # what is told is all there is
]


@pytest.mark.parametrize(("special", "beside", "expected"), MARKS)
def test_marks_are_found(
    file: Path, special: tuple[str, ...], beside: dict[str, object], expected: tuple[int, int, int]
) -> None:
    tokenizer = foreign(put(file, theirs(*special), **beside))
    assert (tokenizer.pad, tokenizer.begin, tokenizer.end) == expected
    kept = file.parent / "kept" / "tokenizer.json"
    tokenizer.save(kept)
    again = foreign(kept.parent)
    assert (again.pad, again.begin, again.end, again.size) == (*expected, tokenizer.size)
    assert again.encode("CT of the chest") == tokenizer.encode("CT of the chest")


def test_marks_that_are_not_there_are_refused(file: Path) -> None:
    with pytest.raises(InputError, match="says which token ends a text"):
        open_tokenizer(put(file, theirs("<x>")))
    with pytest.raises(InputError, match="the mark '<gone>' is no token of it"):
        open_tokenizer(put(file, theirs("<x>"), tokenizer_config={"eos_token": "<gone>"}))
    with pytest.raises(InputError, match="it is no JSON object"):
        open_tokenizer(put(file, theirs("<x>"), tokenizer_config=[]))


def test_numbers_without_bounds_are_refused(file: Path) -> None:
    text = json.loads(theirs("</s>"))
    text["model"]["vocab"]["far"] = 4_000_000_000
    with pytest.raises(InputError, match=r"numbers up to 4,000,000,000"):
        open_tokenizer(put(file, json.dumps(text)))
    text["model"].update(vocab={}, merges=[])
    text["added_tokens"] = []
    text["post_processor"] = None
    with pytest.raises(InputError, match="says which token ends a text"):
        open_tokenizer(put(file, json.dumps(text)))


def test_nothing_is_cut_filled_up_or_left_to_chance(file: Path) -> None:
    library = Tokenizer.from_str(theirs("</s>"))
    library.enable_truncation(2)
    library.enable_padding(length=64)
    document = json.loads(library.to_str())
    document["model"]["dropout"] = 0.9
    tokenizer = foreign(put(file, json.dumps(document)))
    plain = Tokenizer.from_str(theirs("</s>")).encode("CT of the chest", add_special_tokens=False).ids
    assert tokenizer.encode("CT of the chest") == plain


@pytest.mark.parametrize("kind", ["unigram", "word pieces"])
def test_models_of_other_kinds_are_read(file: Path, kind: str) -> None:
    if kind == "unigram":
        library = Tokenizer(models.Unigram())
        library.pre_tokenizer = pre_tokenizers.Metaspace()  # pyright: ignore[reportAttributeAccessIssue]
        library.decoder = decoders.Metaspace()  # pyright: ignore[reportAttributeAccessIssue]
        trainer: Any = trainers.UnigramTrainer(
            vocab_size=200, special_tokens=["<pad>", "<s>", "</s>"], show_progress=False
        )
    else:
        library = Tokenizer(models.WordPiece(unk_token="[UNK]"))  # noqa: S106 - no password
        library.pre_tokenizer = pre_tokenizers.Whitespace()  # pyright: ignore[reportAttributeAccessIssue]
        library.decoder = decoders.WordPiece(cleanup=False)  # pyright: ignore[reportAttributeAccessIssue]
        trainer = trainers.WordPieceTrainer(
            vocab_size=200, special_tokens=["[UNK]", "[CLS]", "[SEP]"], show_progress=False
        )
    library.train_from_iterator(real_captions()[:40], trainer)
    tokenizer = foreign(put(file, library.to_str()))
    assert tokenizer.decode(tokenizer.encode("chest CT shows")) == "chest CT shows"
