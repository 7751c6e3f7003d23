"""A language model as a decoder: a tiny Llama in the layout of the real ones."""

from __future__ import annotations

import json
import shutil
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
import torch
from captioning_samples_lm import SIZES, VOCABULARY, save_gguf, save_model, tiny_model, write_tokenizer
from captioning_samples_text import TEMPLATE, asked_of
from safetensors.torch import load_file, save_file

from radcap.captioning.base_models import conversion
from radcap.captioning.base_models.conversion import convert
from radcap.captioning.base_models.model_folder import check_folder
from radcap.captioning.base_models.pretrained import load_language_model
from radcap.captioning.decoders import Decoder, Memory, make_decoder
from radcap.captioning.decoders.language_model import LanguageModel, Past
from radcap.captioning.settings import DecoderSettings
from radcap.captioning.tokens import open_tokenizer
from radcap.core import InputError, Missing, UsageError
from radcap.vision.torchvision_ops import ensure_torchvision
from radcap.vision.transformers_library import quiet

if TYPE_CHECKING:
    from pathlib import Path

WIDTH = SIZES["hidden_size"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = save_model(tiny_model(), tmp_path_factory.mktemp("lm") / "whole")
    write_tokenizer(made)
    return made


@pytest.fixture(scope="module")
def sharded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_model(tiny_model(), tmp_path_factory.mktemp("lm") / "parts", max_shard_size="20KB")


def settings(folder: Path, **changes) -> DecoderSettings:
    return DecoderSettings(kind="lm", model=str(folder), **{"lora": 4, "drop": 0.0, **changes})


def decoder_of(folder: Path, **changes) -> Decoder:
    torch.manual_seed(1)
    made = make_decoder(settings(folder, **changes), VOCABULARY).eval()
    torch.manual_seed(2)
    with torch.no_grad():  # as if it had been trained: LoRA begins with nothing
        for weight in made.own_weights().values():
            weight.normal_(0, 0.3)
    return made


def memory(rows: int = 3, entries: int = 5, seed: int = 0) -> Memory:
    """One entry of the last row is there, in the middle; the first row has all."""
    torch.manual_seed(seed)
    there = torch.rand(rows, entries) < 0.5
    there[0], there[-1] = True, False
    there[:, 2] = True
    return Memory(torch.randn(rows, entries, WIDTH), there)


def tokens(rows: int = 3, length: int = 6) -> torch.Tensor:
    torch.manual_seed(9)
    return torch.randint(VOCABULARY, (rows, length))


# writing


@pytest.mark.parametrize("lora", [0, 4])
def test_a_memory_of_words_is_text_before_the_caption(folder, lora):
    """What transformers says itself, without memory, masks or positions."""
    decoder = decoder_of(folder, lora=lora)
    assert isinstance(decoder, LanguageModel)
    text = tokens(2, 9)
    whole = Memory(decoder.embed(text[:, :4]), torch.ones(2, 4, dtype=torch.bool))
    expected = decoder.model(input_ids=text).logits[:, 4:]
    torch.testing.assert_close(decoder(whole, text[:, 4:]), expected)
    assert (decoder.width, decoder.size) == (WIDTH, VOCABULARY)


@torch.inference_mode()
def test_step_after_step_is_the_same_as_at_once(folder):
    decoder, text, seen = decoder_of(folder), tokens(), memory()
    state, told = decoder.begin(seen, text.shape[1]), []
    for place in range(text.shape[1]):
        logits, state = decoder.step(state, text[:, place])
        told.append(logits)
    torch.testing.assert_close(torch.stack(told, 1), decoder(seen, text), atol=1e-5, rtol=1e-4)


@torch.inference_mode()
@pytest.mark.parametrize("rows", [[2, 0], [1, 1, 1, 0], [2, 1, 0]])
def test_rows_are_taken_in_any_order_and_number(folder, rows):
    decoder, text, seen = decoder_of(folder), tokens(), memory()
    kept = torch.tensor(rows)
    _, state = decoder.step(decoder.begin(seen, 9), text[:, 0])
    taken = state.take(kept)
    logits, after = decoder.step(taken, text[kept, 1])
    expected = decoder(Memory(seen.values[kept], seen.there[kept]), text[kept, :2])[:, 1]
    torch.testing.assert_close(logits, expected, atol=1e-5, rtol=1e-4)
    logits, _ = decoder.step(after.take(torch.tensor([0])), text[kept[:1], 2])
    expected = decoder(Memory(seen.values[kept[:1]], seen.there[kept[:1]]), text[kept[:1], :3])[:, 2]
    torch.testing.assert_close(logits, expected, atol=1e-5, rtol=1e-4)


@torch.inference_mode()
def test_a_state_can_be_gone_on_from_twice(folder):
    decoder, text = decoder_of(folder), tokens()
    state = decoder.begin(memory(), 9)
    first, _ = decoder.step(state, text[:, 0])
    other, _ = decoder.step(state, text[:, 1])
    again, _ = decoder.step(state, text[:, 0])
    assert torch.equal(first, again)
    assert not torch.allclose(first, other)


@torch.inference_mode()
@pytest.mark.parametrize("odd", [7.0, float("nan"), float("inf")])
def test_entries_that_are_not_there_have_no_influence(folder, odd):
    decoder, text, seen = decoder_of(folder), tokens(), memory()
    other = Memory(seen.values.masked_fill(~seen.there[..., None], odd), seen.there)
    assert torch.equal(decoder(seen, text), decoder(other, text))
    for row in range(3):  # nor do they count for a position
        alone = Memory(seen.values[row][seen.there[row]][None], seen.there[row][seen.there[row]][None])
        torch.testing.assert_close(
            decoder(alone, text[row : row + 1]), decoder(seen, text)[row : row + 1], atol=1e-5, rtol=1e-4
        )
    assert torch.isfinite(decoder(other, text)).all()


def test_the_memory_matters_and_hands_gradients_back(folder):
    decoder, seen = decoder_of(folder), memory()
    values = seen.values.requires_grad_()
    decoder(Memory(values, seen.there), tokens()).sum().backward()
    assert values.grad is not None
    assert (values.grad.abs().sum(-1) > 0).equal(seen.there)


def test_a_tokenizer_smaller_than_the_vocabulary_has_fewer_logits(folder, tmp_path):
    shutil.copytree(folder, tmp_path / "lm")
    write_tokenizer(tmp_path / "lm", 200)
    decoder = make_decoder(settings(tmp_path / "lm"), 200).eval()
    assert decoder(memory(), tokens() % 200).shape == (3, 6, 200)


def test_more_than_the_model_reads_is_refused(folder):
    decoder = decoder_of(folder)
    decoder.begin(memory(), 59)
    with pytest.raises(UsageError, match=r"65 tokens together, and the language model reads 64"):
        decoder.begin(memory(), 60)


# what is learnt


def test_lora_alone_is_trained_and_saved(folder):
    decoder = make_decoder(settings(folder, lora_mlp=False), VOCABULARY)
    learnt = {name for name, weight in decoder.named_parameters() if weight.requires_grad}
    own = decoder.own_weights()
    assert len(own) == len(learnt) == 2 * 2 * 4  # layers, A and B, targets
    assert all("lora_" in name for name in learnt)
    before = {name: weight.clone() for name, weight in decoder.state_dict().items()}
    torch.manual_seed(0)
    step = torch.optim.SGD([one for one in decoder.parameters() if one.requires_grad], lr=1.0)
    decoder.train()(memory(), tokens()).square().mean().backward()
    step.step()
    changed = {name for name, weight in decoder.state_dict().items() if not torch.equal(weight, before[name])}
    assert changed
    assert changed <= learnt


@pytest.mark.parametrize(
    ("lora", "mlp", "numbers"),
    [(0, True, 0), (2, False, 2 * 2 * (64 + 48 + 48 + 64)), (3, True, 3 * 2 * (64 + 48 + 48 + 64 + 3 * 96))],
)
def test_the_rank_and_the_layers_say_how_much_is_learnt(folder, lora, mlp, numbers):
    own = make_decoder(settings(folder, lora=lora, lora_mlp=mlp), VOCABULARY).own_weights()
    assert sum(weight.numel() for weight in own.values()) == numbers


def test_before_training_lora_changes_nothing(folder):
    with_lora = make_decoder(settings(folder), VOCABULARY).eval()
    without = make_decoder(settings(folder, lora=0), VOCABULARY).eval()
    assert torch.equal(with_lora(memory(), tokens()), without(memory(), tokens()))


def test_merged_is_equal_and_is_merged_once(folder):
    decoder, text, seen = decoder_of(folder), tokens(), memory()
    with torch.inference_mode():
        expected, own = (
            decoder(seen, text),
            {name: one.clone() for name, one in decoder.own_weights().items()},
        )
        decoder.merge()
        decoder.merge()
        torch.testing.assert_close(decoder(seen, text), expected, atol=1e-4, rtol=1e-3)
    assert all(torch.equal(weight, own[name]) for name, weight in decoder.own_weights().items())
    plain = make_decoder(settings(folder, lora=0), VOCABULARY).eval()
    assert not torch.allclose(plain(seen, text), expected, atol=1e-2)


def test_what_was_learnt_is_put_into_a_fresh_decoder(folder, tmp_path):
    decoder = decoder_of(folder)
    save_file({name: one.contiguous() for name, one in decoder.own_weights().items()}, tmp_path / "own")
    fresh = make_decoder(settings(folder), VOCABULARY).eval()
    assert not torch.allclose(fresh(memory(), tokens()), decoder(memory(), tokens()))
    saved = load_file(tmp_path / "own")
    with torch.no_grad():
        for name, weight in fresh.own_weights().items():
            weight.copy_(saved[name])
    assert torch.equal(fresh(memory(), tokens()), decoder(memory(), tokens()))
    assert not any("radcap" in name for name in decoder.own_weights())


def test_other_decoders_keep_all_their_weights():
    class Plain(Decoder):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(2, 2)

    one, other = Plain(), Plain()
    one.merge()
    other.load_state_dict(one.own_weights())
    assert set(one.own_weights()) == {"layer.weight", "layer.bias"}
    assert all(torch.equal(weight, other.own_weights()[name]) for name, weight in one.state_dict().items())


def test_a_decoder_writes_its_own_steps():
    bare, seen, text = Decoder(), memory(), tokens()
    for call in (
        lambda: bare(seen, text),
        lambda: bare.begin(seen, 3),
        lambda: bare.step(Past(None, text, text), text[:, 0]),
        lambda: bare.embed(text),
    ):
        with pytest.raises(NotImplementedError):
            call()


def test_lora_beside_a_model_of_other_layers_is_refused(tmp_path):
    ensure_torchvision()
    from transformers import GPTNeoXConfig, GPTNeoXForCausalLM

    sizes: Any = {"hidden_size": 16, "intermediate_size": 16}
    sizes |= {"num_hidden_layers": 1, "num_attention_heads": 2}
    made = save_model(GPTNeoXForCausalLM(GPTNeoXConfig(**sizes, vocab_size=VOCABULARY)), tmp_path)
    with pytest.raises(UsageError, match=r"its layers of attention are none that are known. Write lora = 0"):
        make_decoder(settings(made), VOCABULARY)
    assert make_decoder(settings(made, lora=0), VOCABULARY).own_weights() == {}


def test_a_whole_model_learns_and_is_kept_as_a_whole(tmp_path):
    made = save_model(tiny_model(), tmp_path)
    decoder = make_decoder(settings(made, lora=0, whole=True), VOCABULARY)
    assert all(one.requires_grad for one in decoder.parameters())
    assert decoder.own_weights().keys() == {name for name, _ in decoder.named_parameters()}
    with pytest.raises(UsageError, match="whole is true, and lora is 2"):
        settings(made, lora=2, whole=True)


@pytest.mark.parametrize("kind", ["gpt2", "opt"])
def test_other_families_go_on_step_by_step_too(tmp_path, kind):
    ensure_torchvision()
    from transformers import GPT2Config, GPT2LMHeadModel, OPTConfig, OPTForCausalLM

    shared: Any = {"vocab_size": VOCABULARY, "pad_token_id": 0}
    if kind == "gpt2":
        model = GPT2LMHeadModel(GPT2Config(n_embd=16, n_layer=1, n_head=2, n_positions=32, **shared))
    else:
        sizes: Any = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "ffn_dim": 16}
        model = OPTForCausalLM(
            OPTConfig(**sizes, word_embed_proj_dim=16, max_position_embeddings=32, **shared)
        )
    decoder = make_decoder(settings(save_model(model, tmp_path)), VOCABULARY).eval()
    assert decoder.own_weights()
    seen = Memory(torch.randn(1, 2, 16), torch.ones(1, 2, dtype=torch.bool))
    logits, _ = decoder.step(decoder.begin(seen, 4), tokens(1)[:, 0])
    torch.testing.assert_close(logits, decoder(seen, tokens(1))[:, 0], atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("name", ["peft", "transformers"])
def test_a_package_that_is_not_installed_is_missing(folder, monkeypatch, name):
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(Missing, match=rf"{name} is missing. .*pip install 'radcap\[lm\]'"):
        make_decoder(settings(folder), VOCABULARY)


# folders


def test_a_sharded_model_is_the_same_model(folder, sharded):
    assert len(list(sharded.glob("*.safetensors"))) > 2
    one, other = load_language_model(folder).state_dict(), load_language_model(sharded).state_dict()
    assert all(torch.equal(weight, other[name]) for name, weight in one.items())
    assert not load_language_model(folder).training


def test_half_precision_is_read_as_single(tmp_path):
    made = save_model(tiny_model().half(), tmp_path)
    model = load_language_model(made)
    assert {weight.dtype for weight in model.parameters()} == {torch.float32}
    assert torch.equal(model.lm_head.weight, tiny_model().lm_head.weight)


@pytest.mark.parametrize("size", [VOCABULARY - 1, VOCABULARY + 1])
def test_a_tokenizer_of_another_size_is_refused(folder, size):
    with pytest.raises(InputError, match=rf"a tokenizer that does not match. It has {size} tokens"):
        make_decoder(settings(folder), size)


def test_without_a_tokenizer_the_vocabulary_is_the_limit(sharded):
    assert make_decoder(settings(sharded), VOCABULARY - 9).size == VOCABULARY - 9
    with pytest.raises(InputError, match=r"It has 263 tokens; the language model has 262. Write"):
        make_decoder(settings(sharded), VOCABULARY + 1)


@pytest.mark.parametrize(
    "text", ["{}", '{"model": {"vocab": {}}}', '{"model": 3}', '{"model": {"vocab": {"a": "b"}}}', "nothing"]
)
def test_a_tokenizer_file_without_a_vocabulary_is_refused(folder, tmp_path, text):
    shutil.copytree(folder, tmp_path / "lm")
    (tmp_path / "lm" / "tokenizer.json").write_text(text)
    with pytest.raises(InputError, match=r"tokenizer.json is refused"):
        make_decoder(settings(tmp_path / "lm"), VOCABULARY)


def test_a_vocabulary_may_be_a_list(folder, tmp_path):
    shutil.copytree(folder, tmp_path / "lm")
    (tmp_path / "lm" / "tokenizer.json").write_text(json.dumps({"model": {"vocab": [["a", -1.0]] * 40}}))
    assert make_decoder(settings(tmp_path / "lm"), 40).size == 40


def rewritten(path: Path, **changes: object) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


SPOILT = {  # how a folder is spoilt, and what the refusal names
    "no config": (lambda it: (it / "config.json").unlink(), r"config.json is refused: it is not there"),
    "no JSON": (
        lambda it: (it / "config.json").write_text("{"),
        r"config.json is refused: it cannot be read",
    ),
    "a list": (lambda it: (it / "config.json").write_text("[]"), r"config.json is refused: it holds no JSON"),
    "no weights": (
        lambda it: (it / "model.safetensors").unlink(),
        r"model.safetensors is refused: it is not",
    ),
    "quantised": (
        lambda it: rewritten(it / "config.json", quantization_config={"quant_method": "gguf"}),
        r"config.json is refused: its weights are quantised",
    ),
    "adapter": (
        lambda it: (it / "adapter_config.json").write_text('{"base_model_name_or_path": "/elsewhere"}'),
        r"adapter_config.json is refused",
    ),
    "empty": (
        lambda it: (it / "model.safetensors").write_bytes(b""),
        r"model.safetensors is refused: it cannot",
    ),
    "cut": (
        lambda it: (it / "model.safetensors").write_bytes((it / "model.safetensors").read_bytes()[:-7]),
        r"model.safetensors is refused: it cannot be opened",
    ),
    "no file": (
        lambda it: (it / "model.safetensors").unlink() or (it / "model.safetensors").mkdir(),
        r"model.safetensors is refused: it cannot be opened",
    ),
    "wider": (
        lambda it: rewritten(it / "config.json", intermediate_size=96),
        r"model.safetensors does not fit .* model.layers.0.mlp.\w+.weight has another shape .* and 5 more",
    ),
    "deeper": (
        lambda it: rewritten(it / "config.json", num_hidden_layers=3),
        r"model.safetensors does not fit .* model.layers.2.\S+ is absent, and 8 more",
    ),
    "less deep": (
        lambda it: rewritten(it / "config.json", num_hidden_layers=1),
        r"model.safetensors does not fit .* model.layers.1.\S+ is none of the model .* and 8 more",
    ),
    "unknown kind": (
        lambda it: rewritten(it / "config.json", model_type="other", auto_map={"AutoConfig": "evil.Config"}),
        r"cannot be loaded as a language model",
    ),
}


@pytest.mark.parametrize("how", SPOILT)
def test_a_spoilt_folder_is_refused_with_the_name_of_the_file(folder, tmp_path, how, capfd):
    spoil, told = SPOILT[how]
    shutil.copytree(folder, tmp_path / "lm")
    (tmp_path / "lm" / "evil.py").write_text("raise SystemExit('code of the folder was run')")
    spoil(tmp_path / "lm")
    with pytest.raises(InputError, match=told):
        load_language_model(tmp_path / "lm")
    assert capfd.readouterr() == ("", "")


def test_weights_that_are_pickled_are_not_opened(folder, tmp_path):
    shutil.copytree(folder, tmp_path / "lm")
    torch.save(load_file(tmp_path / "lm" / "model.safetensors"), tmp_path / "lm" / "pytorch_model.bin")
    (tmp_path / "lm" / "model.safetensors").unlink()
    with pytest.raises(InputError, match=r"pytorch_model.bin is refused: its weights are pickled"):
        load_language_model(tmp_path / "lm")


def test_a_shard_that_is_absent_or_damaged_is_named(sharded, tmp_path):
    shutil.copytree(sharded, tmp_path / "lm")
    third = sorted((tmp_path / "lm").glob("*.safetensors"))[2]
    whole = third.read_bytes()
    third.write_bytes(whole[:40])
    with pytest.raises(InputError, match=rf"{third.name} is refused: it cannot be opened"):
        check_folder(tmp_path / "lm")
    third.unlink()
    with pytest.raises(InputError, match=rf"{third.name} is refused: it is not there. .* 1 of them"):
        load_language_model(tmp_path / "lm")


def test_a_weight_that_no_shard_has_is_told_with_the_index(sharded, tmp_path):
    shutil.copytree(sharded, tmp_path / "lm")
    rewritten(tmp_path / "lm" / "config.json", num_hidden_layers=3)
    with pytest.raises(InputError, match=r"model.safetensors.index.json does not fit .*model.layers.2"):
        load_language_model(tmp_path / "lm")
    shard = json.loads((sharded / "model.safetensors.index.json").read_text())["weight_map"][
        "model.norm.weight"
    ]
    rewritten(tmp_path / "lm" / "config.json", num_hidden_layers=2)
    held = load_file(tmp_path / "lm" / shard)
    save_file({**held, "model.norm.weight": torch.ones(7)}, tmp_path / "lm" / shard, {"format": "pt"})
    with pytest.raises(InputError, match=rf"{shard} does not fit .*model.norm.weight has another shape"):
        load_language_model(tmp_path / "lm")


@pytest.mark.parametrize("named", ["../model.safetensors", "/etc/passwd", "pytorch_model.bin", "", 7])
def test_an_index_names_files_beside_it_alone(sharded, tmp_path, named):
    shutil.copytree(sharded, tmp_path / "lm")
    rewritten(tmp_path / "lm" / "model.safetensors.index.json", weight_map={"a": named})
    with pytest.raises(InputError, match=r"index.json is refused: it names .*which is no file beside it"):
        check_folder(tmp_path / "lm")


@pytest.mark.parametrize("weight_map", [None, [], {}, "all"])
def test_an_index_has_a_weight_map(sharded, tmp_path, weight_map):
    shutil.copytree(sharded, tmp_path / "lm")
    rewritten(tmp_path / "lm" / "model.safetensors.index.json", weight_map=weight_map)
    with pytest.raises(InputError, match=r"index.json is refused: it has no weight_map"):
        check_folder(tmp_path / "lm")


def test_loading_leaves_transformers_as_talkative_as_it_was(folder):
    from transformers.utils import logging

    for bars, level in ((True, 20), (False, 40)):
        (logging.enable_progress_bar if bars else logging.disable_progress_bar)()
        logging.set_verbosity(level)
        load_language_model(folder)
        assert (logging.is_progress_bar_enabled(), logging.get_verbosity()) == (bars, level)


# GGUF


def test_a_gguf_becomes_a_folder_that_gives_the_same_answers(tmp_path, capfd):
    model = tiny_model()
    save_gguf(model, tmp_path / "weights.gguf")
    (tmp_path / "made").mkdir()
    capfd.readouterr()  # gguf's writer talks
    tools = convert(tmp_path / "weights.gguf", tmp_path / "made")
    assert capfd.readouterr() == ("", "")
    assert set(tools) == {"gguf", "transformers"}
    names = {one.name for one in (tmp_path / "made").iterdir()}
    assert names == {"config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"}
    held = load_file(tmp_path / "made" / "model.safetensors")
    assert {weight.dtype for weight in held.values()} == {torch.float16}
    assert "lm_head.weight" not in held
    assert str(tmp_path) not in (tmp_path / "made" / "config.json").read_text()
    with torch.inference_mode():
        expected = model(input_ids=tokens()).logits
        torch.testing.assert_close(
            load_language_model(tmp_path / "made")(input_ids=tokens()).logits, expected
        )


def test_the_tokenizer_of_a_gguf_is_kept_with_its_marks_and_its_chat(tmp_path):
    save_gguf(tiny_model(), tmp_path / "weights.gguf", TEMPLATE)
    (tmp_path / "made").mkdir()
    convert(tmp_path / "weights.gguf", tmp_path / "made")
    tokenizer = open_tokenizer(tmp_path / "made")
    found = tokenizer.encode("CT being")
    assert found == [259, 223, 68, 71, 261]  # CT, a blank, b, e, ing
    assert tokenizer.decode([1, *found, 2]) == "CT being"
    assert (tokenizer.begin, tokenizer.end) == (1, 2)
    model = asked_of(tmp_path / "made")
    assert model.words.decode(model.asked("CT")) == "<s>user:CT<s>answer:"
    assert make_decoder(settings(tmp_path / "made"), tokenizer.size).size == VOCABULARY


def test_weights_of_its_own_for_the_output_are_kept(tmp_path):
    model = tiny_model(tie_word_embeddings=False)
    conversion._save_weights(model, tmp_path / "model.safetensors")
    assert "lm_head.weight" in load_file(tmp_path / "model.safetensors")


def test_a_weight_that_half_precision_cannot_hold_is_refused(tmp_path):
    model = tiny_model()
    with torch.no_grad():
        model.model.norm.weight[3] = 1e6
    with pytest.raises(InputError, match=r"The weight model.norm.weight is too large for half precision"):
        conversion._save_weights(model, tmp_path / "model.safetensors")


@pytest.mark.parametrize("content", [b"", b"GGUF", b"GGUF" + bytes(40), b"no gguf at all" * 9])
def test_a_file_that_is_no_gguf_is_refused(tmp_path, content):
    (tmp_path / "weights.gguf").write_bytes(content)
    with pytest.raises(InputError, match=r"weights.gguf cannot be converted by transformers 5"):
        convert(tmp_path / "weights.gguf", tmp_path)


def test_quiet_puts_things_back_when_something_fails(monkeypatch):
    done: list[object] = []
    logging = SimpleNamespace(
        CRITICAL=50,
        get_verbosity=lambda: 20,
        is_progress_bar_enabled=lambda: True,
        set_verbosity=done.append,
        disable_progress_bar=lambda: done.append("off"),
        enable_progress_bar=lambda: done.append("on"),
    )
    module = SimpleNamespace(utils=SimpleNamespace(logging=logging))
    with pytest.raises(KeyError), quiet(module):  # pyright: ignore[reportArgumentType]
        raise KeyError
    assert done == [50, "off", 20, "on"]
