"""Greedy and beam search: against every caption that can be written."""

from __future__ import annotations

import dataclasses

import pytest
import torch
from captioning_samples_generation import (
    MARKS,
    TableDecoder,
    every_caption,
    log_probability,
    memory_of,
    obeys,
    one_thread,  # noqa: F401 - used by every test
    plain_greedy,
    random_table,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from radcap.captioning.generation import Marks, write
from radcap.captioning.generation.beam import beam
from radcap.captioning.generation.pen import make_pen
from radcap.captioning.generation.shrinking import who_goes_on
from radcap.captioning.settings import GenerateSettings
from radcap.core import UsageError

GREEDY = GenerateSettings(method="greedy", longest=6)


@settings(deadline=None, max_examples=40)
@given(
    st.integers(0, 10**6),
    st.sampled_from([0.0, 0.7, 1.0, 2.0]),
    st.integers(0, 3),
    st.integers(0, 3),
    st.integers(0, 3),
)
def test_enough_beams_find_all_captions_in_order(
    seed: int, penalty: float, no_repeat: int, shortest: int, more: int
) -> None:
    chosen = GenerateSettings(
        no_repeat=no_repeat,
        shortest=shortest,
        longest=max(1, shortest + more - 2, shortest),
        length_penalty=penalty,
    )
    decoder = random_table(1, 6, seed)
    wanted = every_caption(decoder, 0, chosen)
    found = beam(make_pen(decoder, chosen, MARKS), memory_of([0]), 128, penalty)[0]
    assert [one.tokens for one in found] == [tokens for _, _, tokens in wanted]
    assert [one.log_probability for one in found] == pytest.approx(
        [total for _, total, _ in wanted], abs=1e-4
    )
    assert [one.score for one in found] == pytest.approx([score for score, _, _ in wanted], abs=1e-4)


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10**6), st.integers(0, 3), st.integers(0, 3), st.integers(3, 9), st.floats(0, 2))
def test_greedy_and_one_beam(seed: int, no_repeat: int, shortest: int, longest: int, penalty: float) -> None:
    chosen = GenerateSettings(
        method="greedy",
        beams=1,
        no_repeat=no_repeat,
        shortest=shortest,
        longest=longest,
        length_penalty=penalty,
    )
    images = [0, 1, 2]
    greedy = write(random_table(4, 7, seed), memory_of(images), chosen, MARKS)
    decoder = random_table(4, 7, seed)
    one = write(decoder, memory_of(images), dataclasses.replace(chosen, method="beam"), MARKS)
    for image in images:
        tokens = plain_greedy(decoder, image, chosen)
        assert [each.tokens for each in (*greedy[image], *one[image])] == [tokens, tokens]
        total = log_probability(decoder, image, tokens)
        assert greedy[image][0].log_probability == pytest.approx(total, abs=1e-4)
        assert greedy[image][0].score == pytest.approx(total / (len(tokens) + 1) ** penalty, abs=1e-4)
        assert one[image][0].score == pytest.approx(greedy[image][0].score, abs=1e-5)


@settings(deadline=None, max_examples=30)
@given(
    st.integers(0, 10**6),
    st.sampled_from(["greedy", "beam", "sample", "mbr"]),
    st.integers(1, 5),
    st.integers(0, 3),
    st.tuples(st.integers(1, 5), st.integers(0, 7)),
    st.integers(0, 2),
)
def test_every_caption_obeys_and_neighbours_do_not_matter(
    seed: int, method: str, beams: int, no_repeat: int, lengths: tuple[int, int], samples: int
) -> None:
    chosen = GenerateSettings(
        method=method,  # type: ignore[arg-type]
        beams=beams,
        samples=samples,
        no_repeat=no_repeat,
        shortest=lengths[0],
        longest=sum(lengths),
    )
    images, seeds = [2, 0, 1, 0], [7, 8, 9, 8]
    decoder = random_table(4, 8, seed)
    found = write(decoder, memory_of(images), chosen, MARKS, seeds=seeds)
    assert found[1] == found[3]
    for place, (image, number) in enumerate(zip(images, seeds, strict=True)):
        decoder.asked.clear()
        assert write(decoder, memory_of([image]), chosen, MARKS, seeds=[number])[0] == found[place]
        scores = [one.score for one in found[place]]
        assert scores == sorted(scores, reverse=True)
        for one in found[place]:
            assert one.tokens
            assert obeys(one.tokens, 8, chosen)
            assert one.log_probability == pytest.approx(log_probability(decoder, image, one.tokens), abs=1e-3)
        if method == "beam" or (method == "mbr" and not samples):
            assert len({one.tokens for one in found[place]}) == len(found[place]) <= beams


def stopping(at: list[int]) -> TableDecoder:
    """Images whose caption is 3, 4, 5 ... up to one that is followed by the end."""
    size = 3 + max(at)
    table = torch.full((len(at), size, size, size), -8.0)
    for image, length in enumerate(at):
        for last in range(size):
            following = 3 if last == MARKS.begin else last + 1
            table[image, :, last, MARKS.end if last == 2 + length else min(following, size - 1)] = 8
    return TableDecoder(table)


def test_rows_that_are_finished_cost_nothing() -> None:
    lengths = [1, 1, 1, 2, 9]
    chosen = GenerateSettings(method="greedy", no_repeat=0, shortest=0, longest=20)
    decoder = stopping(lengths)
    found = write(decoder, memory_of([0, 1, 2, 3, 4]), chosen, MARKS)
    assert [one[0].tokens for one in found] == [tuple(range(3, 3 + length)) for length in lengths]
    # Three of five are finished by the second step; of the other two one waits for the other.
    assert decoder.asked == [5, 5, *[2] * 8]
    assert decoder.room == 21


def test_images_that_are_finished_cost_nothing() -> None:
    chosen = GenerateSettings(beams=2, no_repeat=0, shortest=1, longest=20)
    decoder = random_table(4, 9, 0)
    decoder.table[:3, ..., MARKS.end] += 6
    decoder.table[3, ..., MARKS.end] -= 6
    found = write(decoder, memory_of([0, 1, 2, 3]), chosen, MARKS)
    assert [len(one) for one in found] == [2] * 4
    assert max(len(one.tokens) for image in found[:3] for one in image) <= 2
    assert decoder.asked == [8, 8, *[2] * 19]


def test_nobody_is_left_out_of_half() -> None:
    assert who_goes_on(torch.tensor([True, False]), 0) is None
    kept = who_goes_on(torch.tensor([False, True, False]), 0)
    assert kept is not None
    assert kept.tolist() == [1]


def test_another_device_is_asked_now_and_then() -> None:
    going = torch.zeros(3, dtype=torch.bool, device="meta")
    assert [who_goes_on(going, step) for step in (0, 1, 2, 4)] == [None] * 4


def test_results_do_not_depend_on_shrinking(monkeypatch: pytest.MonkeyPatch) -> None:
    images = [0, 1, 2, 3, 4, 5]
    for method in ("greedy", "beam", "sample"):
        chosen = GenerateSettings(method=method, beams=3, samples=2, longest=40)
        shrunk = random_table(6, 9, 5)
        found = write(shrunk, memory_of(images), chosen, MARKS, seeds=images)
        monkeypatch.setattr("radcap.captioning.generation.rows.who_goes_on", lambda going, step: None)
        monkeypatch.setattr("radcap.captioning.generation.beam.who_goes_on", lambda going, step: None)
        whole = random_table(6, 9, 5)
        assert write(whole, memory_of(images), chosen, MARKS, seeds=images) == found
        assert sum(whole.asked) > sum(shrunk.asked)
        monkeypatch.undo()


def test_one_mark_for_all() -> None:
    """As in GPT-2: pads are told from ends by their places."""
    marks = Marks(2, 2, 2)
    chosen = GenerateSettings(method="greedy", shortest=1, longest=5, no_repeat=0)
    decoder = random_table(5, 6, 1, marks=marks)
    found = write(decoder, memory_of([0, 1, 2, 3, 4]), chosen, marks)
    assert [one[0].tokens for one in found] == [plain_greedy(decoder, image, chosen) for image in range(5)]


def test_no_images() -> None:
    empty = memory_of([0])
    empty = dataclasses.replace(empty, values=empty.values[:0], there=empty.there[:0])
    assert write(random_table(1, 6, 0), empty, GREEDY, MARKS) == []


@pytest.mark.parametrize("method", ["greedy", "beam", "sample"])
def test_what_is_no_number_is_refused(method: str) -> None:
    decoder = TableDecoder(torch.full((2, 6, 6, 6), float("nan")))
    chosen = GenerateSettings(method=method, longest=4)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="no numbers"):
        write(decoder, memory_of([0, 1]), chosen, MARKS, seeds=[1, 2])


def test_a_decoder_that_is_sure() -> None:
    """Impossible tokens are not written, and captions have numbers."""
    table = torch.full((1, 6, 6, 6), float("-inf"))
    table[..., 4] = 0  # it never ends by itself
    chosen = GenerateSettings(beams=2, shortest=0, longest=3, no_repeat=0)
    best = write(TableDecoder(table), memory_of([0]), chosen, MARKS)[0]
    greedy = write(TableDecoder(table), memory_of([0]), dataclasses.replace(chosen, method="greedy"), MARKS)[
        0
    ]
    assert greedy[0].tokens == (4, 4, 4)
    assert best[0].tokens == (4, 4, 4)
    assert best[0].log_probability == -1e4
