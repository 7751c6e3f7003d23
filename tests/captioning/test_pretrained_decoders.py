"""Published captioners beside transformers' own forward and generate, over the same random weights."""

from __future__ import annotations

import copy
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch
from captioning_samples_decoders import one_thread, stepped
from captioning_samples_pretrained import PLACES, WORDS, composed, published, shaken, system, whole
from published_samples import pixels, scaled, transformers

from radcap.captioning.building import make_top
from radcap.captioning.decoders import Decoder
from radcap.captioning.decoders.cross_decoder import CrossDecoder, cross_decoder
from radcap.captioning.decoders.memory import Memory
from radcap.captioning.decoders.woven import Woven
from radcap.captioning.generation import Marks, marks_of, write
from radcap.captioning.generation.mark_ban import MarkBan
from radcap.captioning.network import Top
from radcap.captioning.pretrained import (
    Family,
    PretrainedWriter,
    Told,
    open_published,
    published_tokenizer,
)
from radcap.captioning.settings import ConditionSettings, DecoderSettings, GenerateSettings
from radcap.captioning.tokens import train_bpe
from radcap.captioning.writer import AnyWriter
from radcap.core import UsageError
from radcap.vision.backbones import Backbone

__all__ = ["one_thread"]

MODELS = [
    ("GPT2", "ViT"),
    ("GPT2", "DeiT"),
    ("GPT2", "Swin"),
    ("Bert", "ViT"),
    ("Roberta", "ViT"),
    ("Blip", ""),
]
NAMES = [" ".join(one) for one in MODELS]
IMAGES, LABELS = 3, ("C0040405", "C1306645", "C0817096")
TOKENS = torch.randint(4, 60, (IMAGES, 9), generator=torch.Generator().manual_seed(3))


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("published")


@cache
def opened(folders: Path, text: str, eyes: str) -> tuple[Any, Backbone, Top, Marks]:
    """Transformers' model, and our parts of the same."""
    model = whole(text, eyes)
    folder = published(folders / f"{text}{eyes}", text, eyes)
    made = system(folder, "blip" if text == "Blip" else "encoder-decoder")
    mine, tokenizer = open_published(made), published_tokenizer(made)
    top = make_top(made, tokenizer, LABELS, mine.eyes.width, mine)
    return model, mine.eyes.eval(), top.eval(), marks_of(tokenizer)


def theirs(model: Any, tokens: torch.Tensor) -> torch.Tensor:
    """Logits of transformers."""
    name = "input_ids" if hasattr(model, "text_decoder") else "decoder_input_ids"
    there = {name.replace("input_ids", "attention_mask"): torch.ones_like(tokens), name: tokens}
    return model(pixel_values=scaled(pixels(images=IMAGES)), **there).logits


@torch.no_grad()
@pytest.mark.parametrize(("text", "eyes"), MODELS, ids=NAMES)
def test_logits_are_those_of_transformers(folders: Path, text: str, eyes: str) -> None:
    model, backbone, top, _ = opened(folders, text, eyes)
    features = backbone(pixels(images=IMAGES))
    assert isinstance(top.writer.decoder, CrossDecoder if text == "Roberta" else Woven)
    torch.testing.assert_close(top(features, TOKENS)["caption"], theirs(model, TOKENS), atol=1e-4, rtol=1e-4)
    memory = top.writer.memory(features, rows=IMAGES)
    assert memory.whole
    assert memory.there.all()
    told = torch.cat([features] * 2)
    assert top.writer.memory(told, rows=6).values.shape == (6, memory.values.shape[1], memory.values.shape[2])
    torch.testing.assert_close(
        stepped(top.writer.decoder, memory, TOKENS), theirs(model, TOKENS), atol=1e-4, rtol=1e-4
    )


@torch.no_grad()
@pytest.mark.parametrize(("text", "eyes"), MODELS, ids=NAMES)
def test_a_step_is_what_forward_says_whatever_rows_are_taken(folders: Path, text: str, eyes: str) -> None:
    _, backbone, top, _ = opened(folders, text, eyes)
    concepts = torch.tensor([[0, 2], [1, -1], [-1, -1]])
    words = torch.tensor([[7, 8, 0], [9, 0, 0], [0, 0, 0]])
    writer, decoder = top.writer, top.writer.decoder
    memory = writer.memory(backbone(pixels(images=IMAGES)), concepts, words, rows=IMAGES)
    assert not memory.whole
    assert memory.there.sum() == memory.there.numel() - 3 - 6
    images, read = torch.arange(IMAGES), torch.zeros(IMAGES, 0, dtype=torch.long)
    state = decoder.begin(memory, 9).within(images)
    moves = [
        (torch.tensor([0, 0, 1, 1, 2, 2]), "take"),
        (torch.tensor([1, 0, 2, 2, 5, 4]), "within"),
        (torch.tensor([3, 2, 0, 0, 1, 4]), "take"),  # two of the second, three of the first, one of the last
        (torch.tensor([3, 5, 2, 0, 1]), "take"),
        (torch.tensor([0, 1, 2, 3, 4]), "within"),
    ]
    for number, (rows, how) in enumerate(moves):
        state = getattr(state, how)(rows)
        images, read = images[rows], read[rows]
        read = torch.cat([read, TOKENS[images, number : number + 1] + rows[:, None] % 3], dim=1)
        logits, state = decoder.step(state, read[:, -1])
        row = Memory(memory.values[images], memory.there[images])
        torch.testing.assert_close(logits, decoder(row, read)[:, -1], atol=1e-4, rtol=1e-4)


@torch.no_grad()
@pytest.mark.parametrize(("text", "eyes"), MODELS, ids=NAMES)
@pytest.mark.parametrize("beams", [1, 4])
def test_captions_are_those_of_generate(folders: Path, text: str, eyes: str, beams: int) -> None:
    """But for captions that are cut: ours get an end and its probability, theirs are cut."""
    model, backbone, top, marks = opened(folders, text, eyes)
    longest, many, banned = PLACES - 2, 4, tuple(range(9, len(WORDS)))
    how: dict[str, Any] = {"num_beams": beams, "num_return_sequences": beams, "length_penalty": 1.3}
    found = model.generate(
        pixel_values=scaled(pixels(images=many)),
        do_sample=False,
        early_stopping=False,
        max_new_tokens=longest + 1,
        min_new_tokens=3,
        no_repeat_ngram_size=2,
        suppress_tokens=[*marks.never, *banned],  # of few tokens the end is soon one
        **(how if beams > 1 else {}),
    ).view(many, beams, -1)[:, :, 1:]
    method = "beam" if beams > 1 else "greedy"
    settings = GenerateSettings(
        method=method, beams=beams, length_penalty=1.3, no_repeat=2, shortest=3, longest=longest
    )
    memory = top.writer.memory(backbone(pixels(images=many)), rows=many)
    ours = write(top.writer.decoder, memory, settings, marks, [MarkBan(banned)])
    compared = 0
    for image in range(many):
        wanted = [row.tolist() for row in found[image]]
        if all(marks.end in row for row in wanted):
            compared += 1
            assert [list(one.tokens) for one in ours[image]] == [
                row[: row.index(marks.end)] for row in wanted
            ]
    assert compared


def gpt2(**changes: Any) -> Any:
    torch.manual_seed(0)
    sizes = {"vocab_size": 20, "n_positions": 8, "n_embd": 16, "n_layer": 2, "n_head": 2}
    told = {"add_cross_attention": True, "initializer_range": 0.3, "bos_token_id": 0, "eos_token_id": 0}
    return shaken(transformers.GPT2LMHeadModel(transformers.GPT2Config(**sizes, **told, **changes)))


@torch.no_grad()
@pytest.mark.parametrize(
    "changes",
    [
        {"activation_function": "relu"},
        {"scale_attn_by_inverse_layer_idx": True},
        {"scale_attn_weights": False},
        {"n_inner": 24},
    ],
    ids=str,
)
def test_gpt2_in_all_its_forms(changes: dict[str, Any]) -> None:
    model = gpt2(**changes)
    memory = Memory(torch.randn(2, 5, 16), torch.ones(2, 5, dtype=torch.bool), whole=True)
    tokens = TOKENS[:2, :6] % 20
    wanted = model(input_ids=tokens, encoder_hidden_states=memory.values).logits
    decoder = cross_decoder(model, 20, 16).eval()
    torch.testing.assert_close(decoder(memory, tokens), wanted, atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(decoder.embed(tokens), model.transformer.wte(tokens))


def test_a_decoder_that_learns_drops_and_masks_only_what_is_away() -> None:
    """The quick way of training, without a mask, gives the same as the one with it."""
    decoder = cross_decoder(gpt2(attn_pdrop=0.0, resid_pdrop=0.0, embd_pdrop=0.0), 20, 16).train()
    values, tokens = torch.randn(2, 5, 16), TOKENS[:2, :6] % 20
    there = torch.ones(2, 5, dtype=torch.bool)
    quick = decoder(Memory(values, there, whole=True), tokens)
    torch.testing.assert_close(quick, decoder(Memory(values, there), tokens), atol=1e-5, rtol=1e-5)
    dropping = cross_decoder(gpt2(attn_pdrop=0.5), 20, 16).train()
    assert not torch.equal(*(dropping(Memory(values, there), tokens) for _ in range(2)))


@pytest.mark.parametrize("quick", [True, False])
def test_more_tokens_than_there_are_places_are_refused(folders: Path, quick: bool) -> None:
    top = opened(folders, *(MODELS[0] if quick else MODELS[4]))[2]
    memory = top.writer.memory(None, rows=2)
    with pytest.raises(UsageError, match=r"tokens are asked for, and the published decoder knows texts of"):
        top.writer.decoder.begin(memory, PLACES + 3)


@torch.no_grad()
def test_a_memory_of_nothing_is_one_vector_and_hints_stand_behind_the_places(folders: Path) -> None:
    _, backbone, top, _ = opened(folders, "GPT2", "DeiT")
    writer = top.writer
    assert isinstance(writer, PretrainedWriter)
    assert writer.memory(None, rows=2).values.shape == (2, 1, 24)
    assert writer.always == 2  # class and distillation
    features = backbone(pixels(images=2))
    memory = writer.memory(features, torch.tensor([[1], [-1]]), torch.tensor([[9], [0]]), rows=2)
    assert memory.values.shape == (2, 2 + 16 + 1 + 1, 24)
    torch.testing.assert_close(memory.values[0, 18], writer.concepts.weight[1])
    torch.testing.assert_close(memory.values[0, 19], writer.decoder.embed(torch.tensor(9)))


@torch.no_grad()
@pytest.mark.parametrize("text", ["GPT2", "Blip"])
def test_a_copy_is_a_decoder_of_its_own(folders: Path, text: str) -> None:
    """Methods that spoil a network do it with a copy."""
    writer = opened(folders, text, "" if text == "Blip" else "ViT")[2].writer
    memory = writer.memory(None, rows=3)
    before, other = writer.decoder(memory, TOKENS), copy.deepcopy(writer)
    torch.testing.assert_close(other.decoder(memory, TOKENS), before)
    for weight in other.parameters():
        weight.zero_()
    assert not other.decoder(memory, TOKENS).any()
    torch.testing.assert_close(writer.decoder(memory, TOKENS), before)


@torch.no_grad()
def test_the_image_may_be_told_in_fewer_places(folders: Path) -> None:
    model, backbone, _, _ = opened(folders, "GPT2", "ViT")
    made = system(folders / "GPT2ViT", decoder={"grid": 2})
    mine = open_published(made)
    top = make_top(made, published_tokenizer(made), (), mine.eyes.width, mine)
    features = backbone(pixels(images=2))
    memory = top.writer.memory(features, rows=2)
    assert memory.values.shape[1] == 1 + 4
    hidden = model.encoder(pixel_values=scaled(pixels(images=2))).last_hidden_state
    quarter = hidden[:, 1:].view(2, 4, 4, -1)[:, :2, 2:].mean(dim=(1, 2))
    wanted = model.enc_to_dec_proj(torch.stack([hidden[:, 0], quarter], dim=1))
    torch.testing.assert_close(memory.values[:, [0, 2]], wanted, atol=1e-5, rtol=1e-4)


@torch.no_grad()
@pytest.mark.parametrize("eyes", ["Cvt", "ConvNext"])
def test_a_tower_of_stages_under_gpt2(tmp_path: Path, eyes: str) -> None:
    """Transformers builds no such whole that runs: its text side is given what ours is given."""
    made = composed(tmp_path, eyes)
    mine = open_published(made)
    top = make_top(made, published_tokenizer(made), (), mine.eyes.width, mine).eval()
    memory = top.writer.memory(mine.eyes.eval()(pixels(images=2)), rows=2)
    hidden = mine.whole.model.encoder(scaled(pixels(images=2)))
    places = hidden.last_hidden_state.flatten(2).transpose(1, 2)
    front = [hidden.cls_token_value] if eyes == "Cvt" else []
    seen = torch.cat([*front, places], dim=1)
    projected = mine.whole.model.enc_to_dec_proj(seen)
    torch.testing.assert_close(memory.values, projected, atol=1e-4, rtol=1e-4)
    wanted = mine.whole.model.decoder(input_ids=TOKENS[:2], encoder_hidden_states=projected).logits
    torch.testing.assert_close(top.writer.decoder(memory, TOKENS[:2]), wanted, atol=1e-4, rtol=1e-4)


def test_a_family_and_a_writer_say_themselves_what_they_are() -> None:
    family, writer = Family(), AnyWriter(Decoder(), pad=0)
    asked: dict[str, Any] = {"pad": 0, "grid": 0}
    for call in (
        lambda: family.compose(Path(), Path()),
        lambda: family.text(None),
        lambda: family.marks(Told((), None), train_bpe(["CT"], 262)),
        lambda: family.decoder(None),
        lambda: family.writer(None, Decoder(), 1, 1, **asked),
        lambda: family.drawn("tiny", DecoderSettings(), train_bpe(["CT"], 262)),
        lambda: writer.memory(None, rows=1),
    ):
        with pytest.raises(NotImplementedError):
            call()


def test_only_what_is_told_learns(folders: Path) -> None:
    writer = opened(folders, "Blip", "")[2].writer
    assert isinstance(writer, PretrainedWriter)
    told = {
        "none": (ConditionSettings(), False, set()),
        "concepts": (ConditionSettings(concepts="all"), False, {"concepts.weight", "kinds"}),
        "words": (
            ConditionSettings(prompt="A picture:"),
            True,
            {"say.weight", "say.bias", "kinds", "nothing"},
        ),
        "both": (
            ConditionSettings(concepts="all", prompt="Of {concepts}:"),
            False,
            {"say.weight", "say.bias", "kinds"},
        ),
    }
    for condition, reads, learns in told.values():
        writer.settle(condition, reads=reads)
        own = dict(writer.named_parameters())
        assert {name for name in writer.own_weights() if own[name].requires_grad} == learns
