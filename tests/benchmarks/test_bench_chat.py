"""The bench of chats runs at a tiny size, and tells what the table promises."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

pytest.importorskip("torch")


def test_a_tiny_chat_is_trained_and_asked(
    script: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["chat_ways.py", "--batch", "2", "--size", "24"])
    script("chat_ways").main()
    lines = capsys.readouterr().out.splitlines()
    for name, unit in (
        ("training", "tokens/s"),
        ("asking", "tokens/s"),
        ("most memory", "GB"),
        ("loss", "then"),
    ):
        assert any(line.startswith(name) and unit in line for line in lines)


def test_the_large_shape_is_that_of_qwen2_vl_2b(script: Callable[[str], Any]) -> None:
    """Its weights counted by hand: of a layer of words, of a layer of eyes, and of what joins them."""
    shape = script("chat_ways").TWO_B
    width, inner, kept = 1536, 8960, 2 * 128
    words = 2 * width * width + 2 * width * kept + (width + 2 * kept) + 3 * width * inner + 2 * width
    eyes, patch = 1280, 3 * 2 * 14 * 14 * 1280
    look = 12 * eyes * eyes + (3 + 1 + 4 + 1) * eyes + 4 * eyes
    join = 2 * eyes + (4 * eyes) ** 2 + 4 * eyes + 4 * eyes * width + width
    whole = 151936 * width + 28 * words + width + 32 * look + patch + join
    assert (shape.text["num_hidden_layers"], shape.eyes["depth"]) == (28, 32)
    assert whole == 2_208_985_600
