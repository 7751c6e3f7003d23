"""The pieces of words of a chat: as answers are made of them, and no mark among them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from chat_samples import CPU, MAKERS, TEXTS, opened, pictures
from hypothesis import given
from hypothesis import strategies as st
from text_samples import blip, llava

from radcap.captioning.chats.chat import Chat, chat_of
from radcap.captioning.chats.chat_tokenizer import without_marks
from radcap.captioning.chats.geometries import learnt_tokenizer
from radcap.core import InputError, Missing
from radcap.detection.text.vlm import Question
from radcap.detection.text.vlm_opening import open_vlm


@pytest.fixture(scope="module")
def chats(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Chat]:
    root = tmp_path_factory.mktemp("chats")
    made = {name: make(root / name) for name, make in MAKERS.items()}
    made |= {"plain": llava(root / "plain", chat=None), "blip": blip(root / "blip")}
    return {name: opened(folder) for name, folder in made.items()}


@pytest.mark.parametrize(
    ("name", "end", "lead"),
    [
        ("qwen2-vl", "<|im_end|>", ""),
        ("gemma-3", "<end_of_turn>", ""),
        ("idefics3", "<end_of_utterance>", " "),
        ("plain", "</s>", " "),
        ("blip", "[SEP]", ""),
    ],
)
def test_the_template_tells_what_ends_an_answer_and_what_stands_before_it(
    chats: dict[str, Chat], name: str, end: str, lead: str
) -> None:
    tokenizer = chats[name].tokenizer
    assert tokenizer.tokenizer.convert_ids_to_tokens(tokenizer.end) == end
    assert tokenizer.lead == lead
    assert tokenizer.end not in tokenizer.never
    assert {one for one in tokenizer.tokenizer.all_special_ids if one != tokenizer.end} <= {*tokenizer.never}


@pytest.mark.parametrize("name", list(MAKERS))
def test_an_answer_is_written_as_the_chat_itself_would_write_it(chats: dict[str, Chat], name: str) -> None:
    """Against the whole chat with the answer in it, as its template and its tokenizer make it."""
    chat, answer = chats[name], TEXTS[0]
    processor = chat.vlm.processor
    turns = [
        {"role": "user", "content": [{"type": "image"}, {"type": "text", "text": "What?"}]},
        {"role": "assistant", "content": [{"type": "text", "text": answer}]},
    ]
    text = processor.apply_chat_template(turns)
    image = torch.zeros(32, 32, 3, dtype=torch.uint8).numpy()
    wanted = processor(images=[[image]], text=[text], add_special_tokens=False)["input_ids"][0]
    answered = chat.answered(pictures(1, 32), [Question(after="What?")], [chat.tokenizer.encode(answer)])
    found = [*answered.given["input_ids"][0].tolist(), chat.tokenizer.end]
    assert found == list(wanted)[: len(found)]
    assert chat.tokenizer.decode(chat.tokenizer.encode(answer)) == answer


@given(st.text(max_size=30))
def test_every_text_comes_back_but_for_blanks_in_front(text: str) -> None:
    plain = text.encode("utf-8", "replace").decode()
    assert DRAWN.decode(DRAWN.encode(text)) == plain.lstrip()
    assert not {*DRAWN.encode(text)} & {DRAWN.end, *DRAWN.never}


def _drawn() -> Any:
    from radcap.captioning.chats.chat_tokenizer import ChatTokenizer

    return ChatTokenizer(learnt_tokenizer(TEXTS, 300, ("<pad>", "<end>", "<begin>")), 1, (0, 2))


DRAWN = _drawn()


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a <end> b", "a   b"),
        ("<e<begin>nd>", "<e nd>"),
        ("<<pad>pad><end", "< pad><end"),
        ("no mark", "no mark"),
    ],
)
def test_marks_that_are_spelled_are_taken_out(text: str, left: str) -> None:
    assert without_marks(DRAWN.tokenizer, text) == left
    assert 1 not in DRAWN.encode(f"<end>{text}<end>")


def test_a_tokenizer_fills_up_with_its_end_where_it_has_nothing_else(tmp_path: Path) -> None:
    bare = learnt_tokenizer(TEXTS, 300, ("<pad>", "<end>", "<begin>"))
    bare.pad_token = None
    tokenizer = type(DRAWN)(bare, 1)
    assert (tokenizer.pad, tokenizer.begin, tokenizer.size) == (1, 1, len(bare))
    tokenizer.save(tmp_path / "tokenizer.json")
    assert (tmp_path / "tokenizer.json").is_file()


def test_what_follows_a_prompt_may_be_other_pieces_than_what_begins_a_text() -> None:
    """A tokenizer that joins a letter of the prompt with the answer's is asked for the answer alone."""
    joined = type(DRAWN)(DRAWN.tokenizer, 1, context="C", lead="")
    assert DRAWN.tokenizer.convert_tokens_to_ids("CT") != DRAWN.tokenizer.unk_token_id
    assert joined.encode("T of") == DRAWN.encode("T of")


def test_a_template_that_thinks_first_has_no_blank_for_a_lead(chats: dict[str, Chat], tmp_path: Path) -> None:
    chats["qwen2-vl"].model.save_pretrained(tmp_path)
    processor = chats["qwen2-vl"].vlm.processor
    template = processor.chat_template
    try:
        processor.chat_template = template.replace(
            "{{ c['text'] }}", "{% if m['role'] == 'assistant' %}<think></think>{% endif %}{{ c['text'] }}"
        )
        processor.save_pretrained(tmp_path)
    finally:
        processor.chat_template = template
    assert opened(tmp_path).tokenizer.lead == ""


def test_a_model_without_an_end_is_refused(chats: dict[str, Chat], tmp_path: Path) -> None:
    vlm = open_vlm(str(llava(tmp_path / "m", chat=None)), CPU)
    vlm.processor.tokenizer.eos_token = None
    with pytest.raises(
        InputError, match=r"its tokenizer has no mark that ends an answer. Get the model again"
    ):
        chat_of(vlm)


def test_where_tokenizers_is_absent_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr("radcap.captioning.chats.geometries.importlib.import_module", absent)
    with pytest.raises(Missing, match=r"tokenizers is missing. .* pip install 'radcap\[lm\]'"):
        learnt_tokenizer(TEXTS, 300, ("<pad>", "<end>"))
