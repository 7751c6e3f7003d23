"""Layers of attention against torch's own, and who sees whom against the rule word by word."""

from __future__ import annotations

import pytest
import torch
from captioning_samples_decoders import SMALL, WIDTH, a_memory, one_thread, small, some_tokens
from torch import nn

from radcap.captioning.decoders.layers import Layer, Looking, Stack
from radcap.captioning.decoders.prefix import Prefix, make_prefix
from radcap.captioning.decoders.transformer import Transformer, make_transformer
from radcap.captioning.settings import DecoderSettings

SETTINGS = DecoderSettings(**SMALL)
HEADS, INNER = 2, 2 * WIDTH

__all__ = ["one_thread"]  # pytest finds it here


def shaken(module):
    """No weight is as it begins: zeros and ones would hide a mistake."""
    with torch.no_grad():
        for weight in module.parameters():
            weight.add_(torch.randn_like(weight), alpha=0.1)
    return module.eval()


def copy(theirs, ours):
    theirs.load_state_dict(ours.state_dict())


@torch.no_grad()
def copy_attention(theirs, weights, biases, out):
    theirs.in_proj_weight.copy_(torch.cat(weights))
    theirs.in_proj_bias.copy_(torch.cat(biases))
    copy(theirs.out_proj, out)


def copied(layer, theirs):
    """Torch's layer with the weights of ours."""
    parts = layer.reading.parts
    copy_attention(theirs.self_attn, [parts.weight], [parts.bias], layer.reading.out)
    copy(theirs.norm1, layer.reading.norm)
    if isinstance(looking := layer.looking, Looking):
        both = (looking.query, looking.parts)
        weights, biases = [one.weight for one in both], [one.bias for one in both]
        copy_attention(theirs.multihead_attn, weights, biases, looking.out)
        copy(theirs.norm2, looking.norm)
    copy(theirs.norm3 if layer.looking else theirs.norm2, layer.thinking.norm)
    copy(theirs.linear1, layer.thinking.wide)
    copy(theirs.linear2, layer.thinking.out)
    return theirs.eval()


def torchs(kind, layer):
    made = kind(WIDTH, HEADS, INNER, 0.1, "gelu", batch_first=True, norm_first=True)
    return copied(layer, made)


def test_a_layer_that_looks_is_torchs_decoder_layer():
    torch.manual_seed(0)
    layer, memory, x = shaken(Layer(SETTINGS, looks=True)), a_memory(), torch.randn(3, 7, WIDTH)
    assert layer.looking is not None
    mask = nn.Transformer.generate_square_subsequent_mask(7)
    theirs = torchs(nn.TransformerDecoderLayer, layer)
    expected = theirs(x, memory.values, mask, memory_key_padding_mask=~memory.there)
    torch.testing.assert_close(layer(x, None, layer.looking.see(memory.values, memory.there)), expected)


def rule(there, words):
    """True where a row of memory and words may look: the rule, one by one."""
    entries = len(there)
    together = entries + words
    return torch.tensor(
        [
            [bool(there[to]) if to < entries else entries <= to <= one for to in range(together)]
            for one in range(together)
        ]
    )


def test_a_prefix_is_torchs_encoder_under_the_rule():
    decoder, memory, tokens = small("prefix"), a_memory(), some_tokens()
    assert isinstance(decoder, Prefix)
    x = torch.cat([decoder.normed(memory), decoder.placed(tokens)], 1)
    for row, there in enumerate(memory.there):
        one = x[row : row + 1]
        for layer in decoder.stack.layers:
            one = torchs(nn.TransformerEncoderLayer, layer)(one, ~rule(there, tokens.shape[1]))
        words = decoder.stack.norm(one)[0, memory.there.shape[1] :]
        expected = words @ decoder.words.vectors.T + decoder.words.bias
        torch.testing.assert_close(decoder(memory, tokens)[row], expected, atol=1e-5, rtol=1e-5)


def test_a_transformer_is_torchs_layers_between_words_and_words():
    decoder, memory, tokens = small("transformer"), a_memory(), some_tokens()
    assert isinstance(decoder, Transformer)
    x, seen = decoder.placed(tokens), decoder.normed(memory)
    mask = nn.Transformer.generate_square_subsequent_mask(tokens.shape[1])
    for layer in decoder.stack.layers:
        theirs = torchs(nn.TransformerDecoderLayer, layer)
        x = theirs(x, seen, mask, memory_key_padding_mask=~memory.there)
    expected = decoder.stack.norm(x) @ decoder.words.vectors.T + decoder.words.bias
    torch.testing.assert_close(decoder(memory, tokens), expected, atol=1e-5, rtol=1e-5)


def test_words_know_their_places():
    decoder, memory = small("transformer"), a_memory(1)
    alike = torch.full((1, 6), 4)
    logits = decoder(memory, alike)[0]
    assert (torch.cdist(logits, logits) + torch.eye(6) > 1e-3).all()


def test_entries_of_a_memory_have_no_order():
    for name in ("transformer", "prefix"):
        decoder, memory, tokens = small(name), a_memory(), some_tokens()
        turned = type(memory)(memory.values.flip(1), memory.there.flip(1))
        torch.testing.assert_close(decoder(turned, tokens), decoder(memory, tokens), atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("looks", [True, False])
@pytest.mark.parametrize("layers", [1, 8])
def test_layers_begin_by_adding_little(looks, layers):
    torch.manual_seed(0)
    width = 64
    settings = DecoderSettings(width=width, layers=layers, heads=4)
    stack = Stack(settings, looks=looks).eval()
    x, seen = torch.randn(8, 5, width), torch.randn(8, 3, width)
    sights = stack.see(seen, torch.ones(8, 3, dtype=torch.bool))
    assert len(sights) == layers * looks
    stack.norm = nn.Identity()  # type: ignore[assignment] - what goes into the last norm is asked for
    added = stack(x, None, sights) - x
    assert 0.1 < added.std() < 1.5


def test_the_past_has_the_precision_of_the_keys():
    memory = a_memory()
    for make in (make_transformer, make_prefix):
        decoder = make(SETTINGS, 23)
        assert decoder.begin(memory, 4).past.dtype == torch.float32
        with torch.autocast("cpu", torch.bfloat16):
            assert decoder.begin(memory, 4).past.dtype == torch.bfloat16
