"""LSTM and GRU against their formulas, gate by gate, and attention against its own, entry by entry."""

from __future__ import annotations

from math import exp, tanh

import pytest
import torch
from captioning_samples_decoders import WIDTH, a_memory, one_thread, small, some_tokens
from torch import nn

from radcap.captioning.decoders.additive import AdditiveAttention
from radcap.captioning.decoders.cells import Cells
from radcap.captioning.decoders.memory import Memory
from radcap.captioning.decoders.recurrent import Attending, Telling, make_recurrent
from radcap.captioning.settings import DecoderSettings

__all__ = ["one_thread"]  # pytest finds it here


def by_gates(kind, x, held, weights):
    """One cell, as the papers have it; `held` is h, or h and c."""
    inner, state, inner_bias, state_bias = weights
    a, b = x @ inner.T + inner_bias, held[0] @ state.T + state_bias
    if kind == "lstm":
        i, f, g, o = (a + b).chunk(4, -1)
        c = torch.sigmoid(f) * held[1] + torch.sigmoid(i) * torch.tanh(g)
        return [torch.sigmoid(o) * torch.tanh(c), c]
    (ra, za, na), (rb, zb, nb) = a.chunk(3, -1), b.chunk(3, -1)
    z = torch.sigmoid(za + zb)
    new = torch.tanh(na + torch.sigmoid(ra + rb) * nb)
    return [(1 - z) * new + z * held[0]]


def through_layers(cells, kind, x, held):
    """All layers; `held` is a list of lists and is written to."""
    for layer, weights in enumerate(cells.kernel.all_weights):
        held[layer] = by_gates(kind, x, held[layer], weights)
        x = held[layer][0]
    return x


def begun(decoder, kind, memory):
    """The lists of what layers hold at first, from the mean of what is there."""
    first, parts = decoder.cells.first, 2 if kind == "lstm" else 1
    rows = []
    for values, there in zip(memory.values, memory.there, strict=True):
        rows.append(torch.stack([decoder.entry(one) for one in values[there]]).mean(0))
    start = torch.tanh(torch.stack(rows) @ first.weight.T + first.bias)
    flat = start.split(WIDTH, -1)
    return [list(flat[place : place + parts]) for place in range(0, len(flat), parts)]


@pytest.mark.parametrize(("name", "kind"), [("lstm, one look", "lstm"), ("gru, one look", "gru")])
def test_show_and_tell_by_hand(name, kind):
    decoder, memory, tokens = small(name), a_memory(), some_tokens()
    assert isinstance(decoder, Telling)
    held = begun(decoder, kind, memory)
    logits = decoder(memory, tokens)
    for place, column in enumerate(tokens.unbind(1)):
        top = through_layers(decoder.cells, kind, decoder.embed(column), held)
        expected = top @ decoder.words.vectors.T + decoder.words.bias
        torch.testing.assert_close(logits[:, place], expected, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize(("name", "kind"), [("lstm, one look", nn.LSTM), ("gru, one look", nn.GRU)])
def test_show_and_tell_by_torch(name, kind):
    decoder, memory, tokens = small(name, layers=3), a_memory(), some_tokens()
    assert isinstance(decoder, Telling)
    theirs = kind(WIDTH, WIDTH, 3, batch_first=True)
    theirs.load_state_dict(decoder.cells.kernel.state_dict())
    held = begun(decoder, name[:4].strip(","), memory)
    states = [torch.stack(part) for part in zip(*held, strict=True)]
    tops, _ = theirs(decoder.embed(tokens), tuple(states) if kind is nn.LSTM else states[0])
    expected = tops @ decoder.words.vectors.T + decoder.words.bias
    torch.testing.assert_close(decoder(memory, tokens), expected, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("kind", ["lstm", "gru"])
def test_show_attend_and_tell_by_hand(kind):
    decoder, memory, tokens = small(kind), a_memory(), some_tokens()
    assert isinstance(decoder, Attending)
    held, normed = begun(decoder, kind, memory), decoder.entry(memory.values)
    logits = decoder(memory, tokens)
    for place, column in enumerate(tokens.unbind(1)):
        view = asked_one_by_one(decoder.attention, held[-1][0], normed, memory.there)
        word = decoder.embed(column)
        top = through_layers(decoder.cells, kind, torch.cat([word, view], -1), held)
        joined = torch.tanh(decoder.joint(torch.cat([top, view, word], -1)))
        expected = joined @ decoder.words.vectors.T + decoder.words.bias
        torch.testing.assert_close(logits[:, place], expected, atol=1e-5, rtol=1e-5)


def asked_one_by_one(attention, questions, values, there):
    """The mean of what is there, weighted by the exponential of its score."""
    score = attention.score.weight[0].tolist()
    views = []
    for question, row, counts in zip(questions, values, there, strict=True):
        entries = row[counts]
        meetings = (attention.key(entries) + attention.query(question)).tolist()
        weights = [exp(sum(s * tanh(v) for s, v in zip(score, one, strict=True))) for one in meetings]
        views.append(sum(w * entry for w, entry in zip(weights, entries, strict=True)) / sum(weights))
    return torch.stack(views)


def test_attention_to_one_entry_is_that_entry():
    torch.manual_seed(0)
    attention, memory = AdditiveAttention(WIDTH), a_memory(2, 4)
    there = torch.tensor([[False, True, False, False], [False, False, False, True]])
    asked = attention.see(Memory(memory.values, there))
    torch.testing.assert_close(attention(torch.randn(2, WIDTH), asked), memory.values[there])


def test_an_lstm_begins_by_keeping_what_it_holds():
    cells = Cells(DecoderSettings(kind="lstm", width=8, layers=2), 8)
    for _, _, bias, other in cells.kernel.all_weights:
        assert (bias + other)[8:16].tolist() == [1] * 8
        assert other.tolist() == [0] * 32
    assert Cells(DecoderSettings(kind="gru", width=8, layers=2), 8).parts == 1


def test_layers_leave_some_out_between_them_while_they_learn():
    torch.manual_seed(0)
    settings = DecoderSettings(kind="gru", width=64, layers=2, drop=0.5)
    cells, value = Cells(settings, 64), torch.randn(2, 64)
    hidden = cells.begin(torch.randn(2, 64))
    one, other = cells.advance(value, hidden), cells.advance(value, hidden)
    assert torch.equal(one[0], other[0])  # the first layer has all of it
    assert not torch.equal(one[1], other[1])


@pytest.mark.parametrize(("attention", "kind"), [(True, Attending), (False, Telling)])
def test_attention_is_a_setting(attention, kind):
    decoder = make_recurrent(DecoderSettings(kind="gru", width=8, heads=2, attention=attention), 9)
    assert type(decoder) is kind


@pytest.mark.parametrize("attention", [True, False])
def test_a_state_has_room_for_any_number_of_words(attention):
    decoder = small("gru", attention=attention)
    assert decoder(a_memory(), some_tokens(count=60)).shape[1] == 60
