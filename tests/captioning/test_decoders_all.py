"""What every decoder that is trained from nothing keeps to, whatever its kind."""

from __future__ import annotations

from dataclasses import replace
from math import log, sqrt

import pytest
import torch
from captioning_samples_decoders import (
    KINDS,
    LAYERED,
    SIZE,
    SMALL,
    WIDTH,
    a_memory,
    one_thread,
    small,
    some_tokens,
    stepped,
)
from torch.nn import functional

from radcap.captioning.decoders import Memory, make_decoder
from radcap.captioning.settings import DecoderSettings
from radcap.core import UsageError
from radcap.vision.weight_files import read_weight_file, write_weight_file

of_every_kind = pytest.mark.parametrize("name", KINDS)

__all__ = ["one_thread"]  # pytest finds it here


def close(one, other, atol=1e-5):
    torch.testing.assert_close(one, other, atol=atol, rtol=1e-5)


def loss_of(logits, tokens):
    return functional.cross_entropy(logits.flatten(0, 1), tokens.flatten())


@of_every_kind
@pytest.mark.parametrize(("rows", "entries", "count"), [(3, 5, 7), (1, 5, 12), (2, 1, 3), (1, 1, 1)])
def test_steps_give_what_forward_gives(name, rows, entries, count):
    decoder, memory, tokens = small(name), a_memory(rows, entries), some_tokens(rows, count)
    logits = decoder(memory, tokens)
    assert logits.shape == (rows, count, SIZE)
    close(stepped(decoder, memory, tokens), logits)


@of_every_kind
@pytest.mark.parametrize("rows", [[2, 0, 0, 1, 2, 2], [1, 2, 0], [1], [0, 0, 1, 1, 2, 2]])
def test_rows_are_taken_in_any_order_and_number(name, rows):
    decoder, memory, before = small(name), a_memory(), some_tokens(count=3)
    rows, after = torch.tensor(rows), some_tokens(len(rows), 4, seed=5)
    state = decoder.begin(memory, 7)
    for column in before.unbind(1):
        _, state = decoder.step(state, column)
    state = state.take(rows)
    whole = torch.cat([before[rows], after], 1)
    expected = decoder(Memory(memory.values[rows], memory.there[rows]), whole)
    for place, column in enumerate(after.unbind(1), 3):
        logits, state = decoder.step(state, column)
        close(logits, expected[:, place])


@of_every_kind
def test_what_is_taken_does_not_disturb_what_it_was_taken_from(name):
    decoder, memory, tokens = small(name), a_memory(), some_tokens()
    _, state = decoder.step(decoder.begin(memory, 7), tokens[:, 0])
    decoder.step(state.take(torch.tensor([1, 1, 0])), some_tokens(count=1, seed=9)[:, 0])
    logits, _ = decoder.step(state, tokens[:, 1])
    close(logits, decoder(memory, tokens)[:, 1])


@of_every_kind
def test_taken_at_once_is_as_repeated_before(name):
    decoder, memory, tokens = small(name), a_memory(2), some_tokens(6)
    state = decoder.begin(memory, 7).take(torch.tensor([0, 0, 0, 1, 1, 1]))
    logits, _ = decoder.step(state, tokens[:, 0])
    close(logits, stepped(decoder, memory.repeated(3), tokens)[:, 0])


@of_every_kind
@pytest.mark.parametrize("other", [0.0, 1e4, float("nan"), float("inf")])
def test_what_is_not_there_has_no_influence(name, other):
    decoder, memory, tokens = small(name), a_memory(), some_tokens()
    assert not memory.there.all()
    changed = Memory(memory.values.masked_fill(~memory.there[..., None], other), memory.there)
    assert torch.equal(decoder(changed, tokens), decoder(memory, tokens))
    assert torch.equal(stepped(decoder, changed, tokens), stepped(decoder, memory, tokens))


@of_every_kind
def test_what_is_not_there_may_as_well_be_cut_off(name):
    decoder, memory, tokens = small(name), a_memory(), some_tokens()
    logits = decoder(memory, tokens)
    for row, there in enumerate(memory.there):
        held = memory.values[row, there][None]
        alone = Memory(held, torch.ones(held.shape[:2], dtype=torch.bool))
        close(decoder(alone, tokens[row : row + 1])[0], logits[row])


@of_every_kind
def test_what_is_there_has_influence(name):
    decoder, memory, tokens = small(name), a_memory(), some_tokens()
    changed = Memory(memory.values + memory.there[..., None] * torch.randn(WIDTH), memory.there)
    difference = (decoder(changed, tokens) - decoder(memory, tokens)).abs().amax((1, 2))
    assert (difference > 1e-3).all()


@of_every_kind
def test_the_scale_of_a_memory_does_not_matter(name):
    decoder, memory, tokens = small(name), a_memory(), some_tokens()
    close(decoder(replace(memory, values=1000 * memory.values), tokens), decoder(memory, tokens), atol=1e-3)


@of_every_kind
@pytest.mark.parametrize("place", range(1, 7))
def test_a_token_changes_nothing_before_it(name, place):
    decoder, memory, tokens = small(name), a_memory(), some_tokens()
    changed = tokens.clone()
    changed[:, place] = (changed[:, place] + 1) % SIZE
    before, after = decoder(memory, tokens), decoder(memory, changed)
    close(after[:, :place], before[:, :place], atol=1e-6)
    assert ((after - before)[:, place:].abs().amax((0, 2)) > 1e-4).all()


@of_every_kind
def test_the_memory_and_every_weight_learn(name):
    decoder, memory, tokens = small(name), a_memory(), some_tokens()
    values = memory.values.clone().requires_grad_()
    loss_of(decoder(replace(memory, values=values), tokens), tokens).backward()
    assert values.grad is not None
    touched = values.grad.abs().sum(-1) > 0
    assert torch.equal(touched, memory.there)
    for title, weight in decoder.named_parameters():
        assert weight.grad is not None, title
        assert weight.grad.isfinite().all(), title
        assert weight.grad.any(), title


@of_every_kind
def test_it_learns_four_captions_by_heart(name):
    torch.manual_seed(0)
    decoder = make_decoder(DecoderSettings(**(SMALL | {"layers": 1, "drop": 0.0} | KINDS[name])), SIZE)
    memory, tokens = a_memory(4, 3), some_tokens(4, 8)
    tokens[:, 0] = 0  # all begin alike, so that only the memory tells them apart
    optimiser = torch.optim.Adam(decoder.parameters(), 2e-2)
    first = loss_of(decoder(memory, tokens[:, :-1]), tokens[:, 1:]).item()
    assert first == pytest.approx(log(SIZE), abs=0.5)  # it begins without an opinion
    for _ in range(60):
        loss = loss_of(decoder(memory, tokens[:, :-1]), tokens[:, 1:])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    logits = decoder(memory, tokens[:, :-1])
    assert loss_of(logits, tokens[:, 1:]).item() < 0.1
    assert torch.equal(logits.argmax(-1), tokens[:, 1:])


@of_every_kind
def test_some_is_left_out_only_while_it_learns(name):
    decoder, memory, tokens = small(name, drop=0.5), a_memory(), some_tokens()
    assert torch.equal(decoder(memory, tokens), decoder(memory, tokens))
    answer = decoder(memory, tokens)
    decoder.train()
    assert not torch.equal(decoder(memory, tokens), decoder(memory, tokens))
    whole = small(name, drop=0.0).train()
    close(whole(memory, tokens), answer)


@of_every_kind
def test_half_precision_is_near(name):
    decoder, memory, tokens = small(name), a_memory(), some_tokens()
    with torch.autocast("cpu", torch.bfloat16):
        at_once, by_steps = decoder(memory, tokens), stepped(decoder, memory, tokens)
        halved = decoder(replace(memory, values=memory.values.bfloat16()), tokens)
    exact = decoder(memory, tokens)
    for logits in (at_once, by_steps, halved):
        assert logits.dtype == torch.float32
        close(logits, exact, atol=0.1)


@of_every_kind
def test_it_can_be_compiled(name):
    torch._dynamo.reset()
    decoder, memory, tokens = small(name), a_memory(), some_tokens()
    whole = name in LAYERED  # torch leaves its recurrent kernels as they are
    traced = torch.compile(decoder, backend="eager", fullgraph=whole)
    close(traced(memory, tokens), decoder(memory, tokens))


@of_every_kind
def test_steps_are_for_writing_and_keep_nothing_to_learn_from(name):
    decoder, memory, tokens = small(name), a_memory(), some_tokens()
    assert decoder(memory, tokens).requires_grad
    assert not stepped(decoder, memory, tokens).requires_grad


@of_every_kind
def test_tokens_of_a_memory_have_the_vectors_of_words(name):
    decoder, tokens = small(name), some_tokens()
    weights = decoder.state_dict()["words.vectors"]
    close(decoder.embed(tokens), weights[tokens] * sqrt(WIDTH))
    assert (decoder.width, decoder.size) == (WIDTH, SIZE)


@of_every_kind
def test_weights_are_written_once_and_read_again(name, tmp_path):
    decoder, memory, tokens = small(name), a_memory(), some_tokens()
    write_weight_file(decoder.state_dict(), tmp_path / "model.safetensors", "fp32")
    other = small(name, seed=3)
    assert not torch.equal(other(memory, tokens), decoder(memory, tokens))
    other.load_state_dict(read_weight_file(tmp_path / "model.safetensors"))
    assert torch.equal(other(memory, tokens), decoder(memory, tokens))


def recurrent_count(gates, held, layers, width, size, *, looks):
    cells = layers * (2 * gates + held) * (width**2 + width)
    return size * (width + 1) + 2 * width + cells + looks * ((5 + gates) * width**2 + 3 * width)


def layered_count(squares, rest, layers, width, size, longest):
    return size * (width + 1) + (longest + 6) * width + layers * (squares * width**2 + rest * width)


@pytest.mark.parametrize(
    ("name", "formula", "as_set"),
    [
        ("lstm", lambda n, w, s, _: recurrent_count(4, 2, n, w, s, looks=1), 3_078_864),
        ("gru", lambda n, w, s, _: recurrent_count(3, 1, n, w, s, looks=1), 2_421_200),
        ("lstm, one look", lambda n, w, s, _: recurrent_count(4, 2, n, w, s, looks=0), 2_488_272),
        ("transformer", lambda n, w, s, t: layered_count(8 + 2 * 4, 4 + 15, n, w, s, t), 3_696_336),
        ("prefix", lambda n, w, s, t: layered_count(4 + 2 * 4, 4 + 9, n, w, s, t), 2_905_296),
    ],
)
def test_weights_are_as_many_as_documented(name, formula, as_set):
    for settings, size in [
        (DecoderSettings(**KINDS[name]), 2000),
        (DecoderSettings(**KINDS[name], width=8, layers=2, longest=9), 31),
    ]:
        count = sum(weight.numel() for weight in make_decoder(settings, size).parameters())
        assert count == formula(settings.layers, settings.width, size, settings.longest)
        assert count == as_set or size == 31


@pytest.mark.parametrize("name", LAYERED)
def test_more_tokens_than_places_are_refused(name):
    decoder, memory = small(name), a_memory()
    assert decoder(memory, some_tokens(count=12)).shape == (3, 12, SIZE)
    refused = (
        r"13 tokens are asked for, .* captions of 10 and two marks\. Give 10 or less as \[generate\] longest"
    )
    with pytest.raises(UsageError, match=refused):
        decoder(memory, some_tokens(count=13))
    with pytest.raises(UsageError, match=refused):
        decoder.begin(memory, 13)


def test_an_unknown_kind_is_refused_with_the_nearest():
    with pytest.raises(UsageError, match=r"There is no decoder 'transfomer'.*transformer"):
        make_decoder(DecoderSettings(kind="transfomer"), SIZE)
