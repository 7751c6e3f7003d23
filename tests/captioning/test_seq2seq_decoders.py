"""Encoder-decoder language models as decoders, beside what transformers makes of the same models."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch
from captioning_samples_generation import one_thread
from captioning_samples_lm import save_model
from captioning_samples_seq2seq import KINDS, LONGEST, VOCABULARY, bart, save_seq2seq, t5, write_unigrams
from safetensors.torch import load_file

from radcap.captioning.base_models.pretrained import load_language_model
from radcap.captioning.decoders import Decoder, Memory, make_decoder
from radcap.captioning.decoders.lora import add_lora, lora_weights
from radcap.captioning.decoders.seq2seq import Seq2SeqModel
from radcap.captioning.generation import Marks, write
from radcap.captioning.settings import DecoderSettings, GenerateSettings
from radcap.captioning.tokens import open_tokenizer
from radcap.captioning.training.feeds import token_rows
from radcap.core import InputError, UsageError

__all__ = ["one_thread"]

ROWS, ENTRIES, LENGTH = 3, 5, 6
# the tokens that fill up and end a caption, and those that it begins with
MARKS = {"t5": (0, 1, (0,)), "bart": (1, 2, (2, 0)), "pegasus": (0, 1, (0,))}


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    made = tmp_path_factory.mktemp("seq2seq")
    return {kind: save_seq2seq(make(), made / kind) for kind, make in KINDS.items()}


@pytest.fixture(params=KINDS, scope="module")
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def settings(folder: Path, **changes: Any) -> DecoderSettings:
    return DecoderSettings(kind="lm", model=str(folder), **{"lora": 2, "drop": 0.0, **changes})


@pytest.fixture(scope="module")
def decoder(folders: dict[str, Path], kind: str) -> Seq2SeqModel:
    """As if it had been trained: LoRA begins with nothing."""
    torch.manual_seed(1)
    made = make_decoder(settings(folders[kind]), VOCABULARY).eval()
    assert isinstance(made, Seq2SeqModel)
    with torch.no_grad():
        for weight in made.own_weights().values():
            weight.normal_(0, 0.3)
    return made


def memory(rows: int = ROWS, width: int = 16) -> Memory:
    """The first row has all entries, the last one alone, in the middle."""
    torch.manual_seed(0)
    there = torch.rand(rows, ENTRIES) < 0.5
    there[0], there[-1], there[:, 2] = True, False, True
    return Memory(torch.randn(rows, ENTRIES, width), there)


def tokens(rows: int = ROWS, length: int = LENGTH) -> torch.Tensor:
    """Words alone: none of them is a mark."""
    torch.manual_seed(9)
    return torch.randint(3, VOCABULARY, (rows, length))


def test_a_memory_of_words_is_the_text_that_is_read(decoder: Seq2SeqModel, kind: str) -> None:
    """Whatever mark the tokenizer begins with, a caption begins as the model's own texts do."""
    text, said = tokens(2, 4), tokens(2)
    whole = Memory(decoder.embed(text), torch.ones(2, 4, dtype=torch.bool))
    start = torch.tensor([MARKS[kind][2]]).expand(2, -1)
    asked = torch.cat([start, said[:, 1:]], dim=1)
    expected = decoder.model(input_ids=text, decoder_input_ids=asked).logits[:, -LENGTH:]
    torch.testing.assert_close(decoder(whole, said), expected)
    assert (decoder.width, decoder.size) == (16, VOCABULARY)


@torch.inference_mode()
def test_step_after_step_is_the_same_as_at_once(decoder: Seq2SeqModel) -> None:
    said, seen = tokens(), memory()
    state, told = decoder.begin(seen, LENGTH), []
    for place in range(LENGTH):
        logits, state = decoder.step(state, said[:, place])
        told.append(logits)
    torch.testing.assert_close(torch.stack(told, 1), decoder(seen, said), atol=1e-5, rtol=1e-4)


@torch.inference_mode()
@pytest.mark.parametrize("rows", [[2, 0], [1, 1, 1, 0]])
def test_rows_are_taken_in_any_order_and_number(decoder: Seq2SeqModel, rows: list[int]) -> None:
    said, seen, kept = tokens(), memory(), torch.tensor(rows)
    some = Memory(seen.values[kept], seen.there[kept])
    begun = decoder.begin(seen, 9).take(kept)  # before anything is written
    first, _ = decoder.step(begun, said[kept, 0])
    expected = decoder(some, said[kept, :3])
    torch.testing.assert_close(first, expected[:, 0], atol=1e-5, rtol=1e-4)
    _, state = decoder.step(decoder.begin(seen, 9), said[:, 0])
    logits, after = decoder.step(state.take(kept), said[kept, 1])
    torch.testing.assert_close(logits, expected[:, 1], atol=1e-5, rtol=1e-4)
    logits, _ = decoder.step(after.take(torch.tensor([0])), said[kept[:1], 2])
    torch.testing.assert_close(logits, expected[:1, 2], atol=1e-5, rtol=1e-4)


@torch.inference_mode()
def test_a_state_can_be_gone_on_from_twice(decoder: Seq2SeqModel) -> None:
    said = tokens()
    _, state = decoder.step(decoder.begin(memory(), 9), said[:, 0])
    first, _ = decoder.step(state, said[:, 1])
    other, _ = decoder.step(state, said[:, 2])
    again, _ = decoder.step(state, said[:, 1])
    assert torch.equal(first, again)
    assert not torch.allclose(first, other)


@torch.inference_mode()
def test_entries_that_are_not_there_have_no_influence(decoder: Seq2SeqModel) -> None:
    said, seen = tokens(), memory()
    other = Memory(seen.values.masked_fill(~seen.there[..., None], torch.nan), seen.there)
    assert torch.equal(decoder(seen, said), decoder(other, said))
    for row in range(ROWS):  # nor do they count for a position
        alone = Memory(seen.values[row][seen.there[row]][None], seen.there[row][seen.there[row]][None])
        torch.testing.assert_close(
            decoder(alone, said[row : row + 1]), decoder(seen, said)[row : row + 1], atol=1e-5, rtol=1e-4
        )


def test_the_memory_matters_and_hands_gradients_back(decoder: Seq2SeqModel) -> None:
    seen = memory()
    values = seen.values.requires_grad_()
    decoder(Memory(values, seen.there), tokens()).square().sum().backward()
    assert values.grad is not None
    assert (values.grad.abs().sum(-1) > 0).equal(seen.there)


# beside transformers' own search


@pytest.mark.parametrize("beams", [1, 5])
@torch.inference_mode()
def test_what_is_written_is_what_transformers_writes(decoder: Seq2SeqModel, kind: str, beams: int) -> None:
    pad, end, begun = MARKS[kind]
    seen = memory(9)
    # as our search has it: the marks that are never written are none of the tokens
    marks = Marks(pad=pad, begin=begun[-1], end=end)
    ordered = torch.argsort((~seen.there).long(), dim=1, stable=True)
    values = seen.held().gather(1, ordered[..., None].expand_as(seen.values))
    # where two marks begin a caption the second is a token of theirs, so lengths differ by it
    penalty = 0.0 if len(begun) > 1 else 1.0
    done = decoder.model.generate(
        inputs_embeds=values,
        attention_mask=seen.there.gather(1, ordered).long(),
        do_sample=False,
        num_beams=beams,
        length_penalty=penalty,
        early_stopping=False,
        no_repeat_ngram_size=2,
        min_new_tokens=2 + len(begun) - 1,
        max_new_tokens=20 + len(begun),
        suppress_tokens=[one for one in marks.never if one not in begun[1:]],
        forced_eos_token_id=None,
    )
    chosen = GenerateSettings(
        method="greedy" if beams == 1 else "beam",
        beams=beams,
        length_penalty=penalty,
        no_repeat=2,
        shortest=2,
        longest=20,
    )
    found = write(decoder, seen, chosen, marks)
    whole = 0
    for row, theirs in enumerate(done[:, len(begun) :].tolist()):
        if end in theirs:
            whole += 1
            assert list(found[row][0].tokens) == theirs[: theirs.index(end)]
        elif beams == 1:  # ours gets its end there, theirs is cut
            assert list(found[row][0].tokens) == theirs[:20]
    assert whole >= 2


# what is learnt


def test_lora_alone_is_trained_and_saved(folders: dict[str, Path], kind: str) -> None:
    made = make_decoder(settings(folders[kind]), VOCABULARY)
    learnt = {name for name, weight in made.named_parameters() if weight.requires_grad}
    layers = (2 if kind == "t5" else 1) + 2  # one attention in a layer of the encoder, two in the decoder's
    assert len(made.own_weights()) == len(learnt) == layers * 2 * 2  # q and v, A and B
    ends = {name.split(".lora_")[0].rpartition(".")[2] for name in made.own_weights()}
    assert ends == ({"q", "v"} if kind == "t5" else {"q_proj", "v_proj"})
    none = make_decoder(settings(folders[kind], lora=0), VOCABULARY)
    assert none.own_weights() == {}
    assert not any(weight.requires_grad for weight in none.parameters())
    torch.testing.assert_close(none.eval()(memory(), tokens()), made.eval()(memory(), tokens()))


def test_layers_after_attention_have_the_names_of_their_family(folders: dict[str, Path], kind: str) -> None:
    made = make_decoder(settings(folders[kind], lora_mlp=True), VOCABULARY)
    ends = {name.split(".lora_")[0].rpartition(".")[2] for name in made.own_weights()}
    assert ends == ({"q", "v", "wi_0", "wi_1", "wo"} if kind == "t5" else {"q_proj", "v_proj", "fc1", "fc2"})


def test_merged_is_equal(folders: dict[str, Path]) -> None:
    made = make_decoder(settings(folders["t5"]), VOCABULARY).eval()
    with torch.no_grad():
        for weight in made.own_weights().values():
            weight.normal_(0, 0.3)
    expected = made(memory(), tokens())
    made.merge()
    torch.testing.assert_close(made(memory(), tokens()), expected, atol=1e-4, rtol=1e-3)


def test_the_first_t5_had_one_layer_less_in_each_block(tmp_path: Path) -> None:
    made = save_model(t5(feed_forward_proj="relu", tie_word_embeddings=True), tmp_path)
    names = make_decoder(settings(made, lora_mlp=True), VOCABULARY).own_weights()
    assert {name.split(".lora_")[0].rpartition(".")[2] for name in names} == {"q", "v", "wi", "wo"}


def test_layers_of_gpt2_lie_the_other_way(tmp_path: Path) -> None:
    """The rank stands beside each of them, and nothing changes before training."""
    from transformers import GPT2Config, GPT2LMHeadModel

    config = GPT2Config(n_embd=16, n_layer=1, n_head=2, vocab_size=VOCABULARY, n_positions=LONGEST)
    made = save_model(GPT2LMHeadModel(config), tmp_path)
    one = make_decoder(settings(made), VOCABULARY).eval()
    shapes = {name.rpartition("c_attn.")[2]: tuple(value.shape) for name, value in one.own_weights().items()}
    assert shapes == {"lora_A.weight": (2, 16), "lora_B.weight": (48, 2)}
    more = make_decoder(settings(made, lora_mlp=True), VOCABULARY)
    assert {name.split(".lora_")[0].rpartition("h.0.")[2] for name in more.own_weights()} == {
        "attn.c_attn",
        "mlp.c_fc",
        "mlp.c_proj",
    }
    plain = make_decoder(settings(made, lora=0), VOCABULARY).eval()
    torch.testing.assert_close(one(memory(), tokens()), plain(memory(), tokens()))
    with torch.no_grad():
        for weight in one.own_weights().values():
            weight.normal_(0, 0.3)
    expected = one(memory(), tokens())
    one.merge()
    torch.testing.assert_close(one(memory(), tokens()), expected, atol=1e-4, rtol=1e-3)


def test_layers_after_attention_that_are_none_of_the_family_are_refused() -> None:
    parts = {name: torch.nn.Linear(4, 4) for name in ("q_proj", "v_proj", "fc_in")}
    model = torch.nn.ModuleDict({"layer": torch.nn.ModuleDict(parts)})
    with pytest.raises(UsageError, match=r"no layers after attention named fc1, fc2. Write lora_mlp = false"):
        add_lora(model, DecoderSettings(lora_mlp=True))
    add_lora(model, DecoderSettings(lora_mlp=False))
    assert len(lora_weights(model)) == 2 * 2


# folders


def test_every_weight_comes_from_the_folder(folders: dict[str, Path]) -> None:
    model = load_language_model(folders["t5"])
    held = load_file(folders["t5"] / "model.safetensors")
    assert not model.config.scale_decoder_outputs
    assert torch.equal(model.lm_head.weight, held["lm_head.weight"])
    assert not torch.equal(model.lm_head.weight, model.shared.weight)
    assert not model.training


def test_parts_make_the_same_model(folders: dict[str, Path], tmp_path: Path) -> None:
    parts = save_seq2seq(t5(), tmp_path / "parts", max_shard_size="6KB")
    assert len(list(parts.glob("*.safetensors"))) > 2
    one, other = load_language_model(folders["t5"]).state_dict(), load_language_model(parts).state_dict()
    assert all(torch.equal(weight, other[name]) for name, weight in one.items())
    third = sorted(parts.glob("*.safetensors"))[2]
    third.unlink()
    with pytest.raises(InputError, match=rf"{third.name} is refused: it is not there. .* 1 of them"):
        load_language_model(parts)


def rewritten(path: Path, **changes: object) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"num_decoder_layers": 2}, r"decoder.block.1.\S+ is absent"),
        ({"d_ff": 32}, r"wi_0.weight has another shape"),
        ({"num_layers": 1}, r"encoder.block.1.\S+ is none of the model"),
        ({"feed_forward_proj": "strange-gelu"}, r"cannot be loaded as a language model"),
    ],
)
def test_another_model_than_config_says_is_refused(
    folders: dict[str, Path], tmp_path: Path, changes: dict[str, Any], told: str
) -> None:
    shutil.copytree(folders["t5"], tmp_path / "lm")
    rewritten(tmp_path / "lm" / "config.json", **changes)
    with pytest.raises(InputError, match=told):
        load_language_model(tmp_path / "lm")


@pytest.mark.parametrize("start", [VOCABULARY, -1, None])
def test_a_text_begins_with_a_token_of_the_model(
    folders: dict[str, Path], tmp_path: Path, start: int | None
) -> None:
    shutil.copytree(folders["t5"], tmp_path / "lm")
    for name in ("config.json", "generation_config.json"):
        rewritten(tmp_path / "lm" / name, decoder_start_token_id=start)
    with pytest.raises(InputError, match=rf"begins a text with the tokens \[{start}\], .* 0 to 39"):
        make_decoder(settings(tmp_path / "lm"), VOCABULARY)


def test_where_no_start_is_named_a_text_begins_with_its_begin_mark() -> None:
    model = bart()
    model.generation_config.decoder_start_token_id = None
    model.generation_config.forced_bos_token_id = None
    assert Seq2SeqModel(model, VOCABULARY).front.tolist() == [0]


def test_more_than_the_model_reads_is_refused(folders: dict[str, Path]) -> None:
    made: Decoder = make_decoder(settings(folders["bart"]), VOCABULARY)
    made.begin(memory(), LONGEST - 1)  # two tokens begin a caption
    with pytest.raises(UsageError, match=r"5 entries and the caption 33 tokens, and the .* reads 32 of each"):
        made.begin(memory(), LONGEST)
    with pytest.raises(UsageError, match=r"the caption 33 tokens"):
        made(memory(), tokens(length=LONGEST))
    endless = make_decoder(settings(folders["t5"]), VOCABULARY)
    assert endless(memory(), tokens(length=LONGEST + 9)).shape == (ROWS, LONGEST + 9, VOCABULARY)


def test_words_of_t5_end_with_its_mark_and_begin_with_what_fills_up(tmp_path: Path) -> None:
    texts = ("Chest CT with a nodule.", "Chest radiograph showing pneumonia.", "CT of the liver.") * 4
    size = write_unigrams(tmp_path, texts)
    save_seq2seq(t5(vocabulary=size), tmp_path)
    tokenizer = open_tokenizer(tmp_path)
    assert (tokenizer.pad, tokenizer.end, tokenizer.size) == (0, 1, size)
    pieces = tokenizer.encode(texts[0])
    assert tokenizer.decode(pieces) == texts[0]
    rows = token_rows(texts[:1], tokenizer, 40)
    assert rows[0, 1:].tolist() == [*pieces, 1]
    made = make_decoder(settings(tmp_path), size).eval()
    assert isinstance(made, Seq2SeqModel)
    whole = Memory(made.embed(rows[:, 1:]), torch.ones_like(rows[:, 1:], dtype=torch.bool))
    # transformers shifts the caption itself: what fills up stands before its first word
    theirs = made.model(input_ids=rows[:, 1:], labels=rows[:, 1:])
    torch.testing.assert_close(made(whole, rows[:, :-1]), theirs.logits)
