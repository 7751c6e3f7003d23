"""Local language models that are asked in words, beside transformers' own way of asking them."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch
from captioning_samples_text import TEMPLATE, asked_of, causal_folder, seq2seq_folder
from hypothesis import given, settings
from hypothesis import strategies as st

from radcap.captioning.base_models import finding
from radcap.captioning.joining_settings import RefineSettings
from radcap.captioning.language import Reply, generator, make_generator, text_model_folder
from radcap.captioning.language.local_model import IGNORED, LocalModel
from radcap.core import InputError, Missing
from radcap.vision.training import Place

PROMPTS = ["CT of the chest.", "MRI", "Ultrasound of the liver with a cyst", "x", "CT"]
KINDS = ("causal", "chat", "T5", "Bart", "Pegasus")


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    root = tmp_path_factory.mktemp("language")
    return {
        "causal": causal_folder(root / "causal"),
        "chat": causal_folder(root / "chat", TEMPLATE),
        **{kind: seq2seq_folder(root / kind, kind) for kind in ("T5", "Bart", "Pegasus")},
    }


@cache
def opened(folder: Path) -> LocalModel:
    return asked_of(folder)


def alone(folder: Path, prompt: str, longest: int) -> str:
    """What transformers writes about one prompt, greedily, by itself."""
    import transformers

    words = transformers.AutoTokenizer.from_pretrained(folder)
    auto = transformers.AutoModelForSeq2SeqLM
    if (folder / "config.json").read_text().count('"llama"'):
        auto = transformers.AutoModelForCausalLM
    model: Any = auto.from_pretrained(folder)
    if words.chat_template:
        said = [{"role": "user", "content": prompt}]
        prompt = words.apply_chat_template(said, tokenize=False, add_generation_prompt=True)
    held = words(prompt, return_tensors="pt")
    found = model.generate(**held, max_new_tokens=longest, do_sample=False, num_beams=1)[0]
    skipped = held.input_ids.shape[1] if auto is transformers.AutoModelForCausalLM else 0
    return words.decode(found[skipped:], skip_special_tokens=True)


@pytest.mark.parametrize("kind", KINDS)
def test_a_batch_says_what_each_prompt_alone_would(kind: str, folders: dict[str, Path]) -> None:
    model, heard = asked_of(folders[kind]), list[tuple[str, int]]()
    replies = model.replies(PROMPTS, lambda name, done: heard.append((name, done)))
    expected = [alone(folders[kind], one, 12) for one in PROMPTS]
    assert [one.text for one in replies] == [one if one.strip() else "" for one in expected]
    assert len({one.text for one in replies}) > 1
    assert heard == [("refined", 3), ("refined", 5)]
    assert model.name == str(folders[kind])
    assert model.is_instructed is (kind in ("causal", "chat"))


@pytest.mark.parametrize("kind", ["chat", "T5"])
def test_what_is_drawn_is_the_same_again_and_nothing_else_is_disturbed(
    kind: str, folders: dict[str, Path]
) -> None:
    model = asked_of(folders[kind], temperature=1.0)
    before = torch.get_rng_state()
    first = model.replies(PROMPTS)
    assert torch.equal(torch.get_rng_state(), before)
    assert model.replies(PROMPTS) == first
    assert first != asked_of(folders[kind]).replies(PROMPTS)


@pytest.mark.parametrize(("kind", "most"), [("causal", 788), ("Bart", 600)])
def test_a_prompt_that_is_too_long_fails_alone(kind: str, most: int, folders: dict[str, Path]) -> None:
    good, bad = asked_of(folders[kind]).replies(["CT", "y" * 900])
    assert good.text
    assert bad.failed.startswith("the prompt has 90")
    assert bad.failed.endswith(f"tokens, and the model reads {most}")


def test_no_model_writes_beyond_its_places(tmp_path: Path, folders: dict[str, Path]) -> None:
    small = causal_folder(tmp_path, max_position_embeddings=32)
    model = asked_of(small, longest=100)
    assert (model.longest, model.most) == (16, 16)
    assert asked_of(folders["Bart"], longest=9999).longest == 599
    assert asked_of(folders["T5"], longest=9999).longest == 9999
    assert asked_of(folders["T5"]).most is None


@settings(max_examples=30)
@given(
    text=st.lists(st.sampled_from(["<s>", "</s>", "<pad>", "<", "s>", "/", "CT", " "]), max_size=8).map(
        "".join
    )
)
def test_no_prompt_spells_a_mark(text: str, folders: dict[str, Path]) -> None:
    marks = {0, 1, 2}
    assert not marks & set(opened(folders["causal"]).asked(text))
    assert opened(folders["T5"]).asked(text).count(1) == 1  # the one at its end


def test_pairs_to_learn_from_hide_what_is_read(folders: dict[str, Path]) -> None:
    model = asked_of(folders["chat"])
    one = model.example("CT", "Chest.")
    assert one is not None
    before = model.asked("CT")
    text = model.words("Chest.", add_special_tokens=False).input_ids
    assert one.read == (*before, *text, 1)
    assert one.written == (*[IGNORED] * len(before), *text, 1)
    assert model.example("CT", "z" * 900) is None
    other = asked_of(folders["Bart"]).example("CT", "Chest.")
    assert other is not None
    assert (other.read[-1], other.written) == (1, (*text, 1))
    assert asked_of(folders["Bart"]).example("CT" * 400, "Chest.") is None


def test_a_folder_that_says_little_has_other_marks(folders: dict[str, Path], tmp_path: Path) -> None:
    """Without a pad mark the end fills up; without an end mark there is none."""
    folder = causal_folder(tmp_path / "a", eos_token_id=[1, 2])
    (folder / "tokenizer_config.json").write_text("{}")
    model = asked_of(folder)
    assert (model.pad, model.end, model.plain("a</s>b")) == (1, 1, "a b")
    assert len(model.replies(PROMPTS)) == len(PROMPTS)
    bare = causal_folder(tmp_path / "b", eos_token_id=None, bos_token_id=None, pad_token_id=None)
    (bare / "tokenizer_config.json").write_text("{}")
    held = json.loads((bare / "tokenizer.json").read_text())
    held["added_tokens"] = []
    (bare / "tokenizer.json").write_text(json.dumps(held))
    model = asked_of(bare)
    assert (model.pad, model.end, model.plain("a</s>b")) == (0, None, "a</s>b")
    assert model.replies(["CT"])[0].text
    one = model.example("CT", "x")
    assert one is not None
    assert len(one.read) == 3


@pytest.mark.parametrize(("epochs", "kept"), [(0, torch.bfloat16), (1, torch.float32)])
def test_a_quick_device_holds_half_where_nothing_is_learnt(
    epochs: int, kept: torch.dtype, folders: dict[str, Path]
) -> None:
    wanted = RefineSettings(kind="rewrite", model=str(folders["T5"]), longest=4, epochs=epochs)
    model: Any = make_generator(wanted, Place(torch.device("cpu"), "bf16"))
    assert {one.dtype for one in model.model.parameters()} == {kept}
    assert len(model.replies(PROMPTS)) == len(PROMPTS)


def test_what_a_model_cannot_do_is_told_of_its_batch(
    folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = asked_of(folders["T5"], batch=1)

    def fail(**_: object) -> None:
        raise RuntimeError("no memory.\nmore lines")

    monkeypatch.setattr(model.model, "generate", fail)
    assert model.replies(["CT"]) == [Reply(failed="the model failed: no memory")]
    monkeypatch.setattr(model.model, "generate", lambda **_: torch.zeros(1, 3, dtype=torch.long))
    assert model.replies(["CT"]) == [Reply(failed="it answered nothing")]
    assert model.replies([]) == []


def test_folders_that_are_none_are_refused(tmp_path: Path, folders: dict[str, Path]) -> None:
    cases: list[tuple[str, str, str]] = [
        ("tokenizer.json", "", "tokenizer.json is refused: it is not there"),
        ("tokenizer.json", "{", r"tokenizer.json is refused: .* Get the model again"),
        ("config.json", "[]", "config.json is refused: it holds no JSON object"),
        ("model.safetensors", "", "model.safetensors is refused: it is not there"),
    ]
    for number, (name, text, told) in enumerate(cases):
        folder = seq2seq_folder(tmp_path / str(number))
        (folder / name).unlink()
        if text:
            (folder / name).write_text(text)
        with pytest.raises(InputError, match=told):
            asked_of(folder)
    folder = causal_folder(tmp_path / "many", vocab_size=100)
    with pytest.raises(InputError, match="has a token 258, and the model 100 tokens"):
        asked_of(folder)
    folder = causal_folder(tmp_path / "broken template", "{{ raise_exception('no') }}")
    with pytest.raises(InputError, match=r"The chat template of .* is refused: no\. Give another model"):
        asked_of(folder).replies(["CT"])
    config = json.loads((folders["T5"] / "config.json").read_text())
    assert config["is_encoder_decoder"] is True


def test_where_a_model_lies(
    tmp_path: Path, folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert text_model_folder(str(folders["T5"])) == folders["T5"]
    monkeypatch.setattr(finding, "base_folder", lambda name: tmp_path / name)
    monkeypatch.setattr(
        generator, "find_base", lambda base: tmp_path if base.name == "smollm2-135m" else None
    )
    assert text_model_folder("zoo:smollm2-135m") == tmp_path
    monkeypatch.setattr(generator, "find_base", lambda _: None)
    with pytest.raises(Missing, match=r"smollm2-135m is missing.*radcap models get"):
        text_model_folder("smollm2-135m")
    with pytest.raises(Missing, match=r"None is named.*\[refine\] endpoint"):
        text_model_folder("")
    for name in ("no/where", "/nowhere at all"):
        with pytest.raises(Missing, match=r"\[refine\] model names it\. .* as \[refine\] endpoint\."):
            text_model_folder(name)
