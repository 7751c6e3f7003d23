"""Banned phrases: against the rule said in plain Python, and while captions are written."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import pytest
import torch
from captioning_samples_generation import (
    MARKS,
    memory_of,
    one_thread,  # noqa: F401 - used by every test
    random_table,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from radcap.captioning.generation import FORBIDDEN, phrase_ban, write
from radcap.captioning.generation.ragged import Ragged
from radcap.captioning.generation.trie import Trie
from radcap.captioning.settings import GenerateSettings

Tokens: TypeAlias = tuple[int, ...]
SIZE, BEGIN, END = 8, 1, 2
NO_BEGIN = -1

phrases = st.lists(st.integers(3, 6), min_size=1, max_size=4).map(tuple)
at_the_beginning = st.lists(st.integers(3, 6), min_size=1, max_size=2).map(lambda one: (BEGIN, *one))
sets = st.lists(phrases | at_the_beginning, max_size=5)


def met(text: Tokens, phrase: Tokens) -> list[tuple[int, int]]:
    n = len(phrase)
    return [(i, i + n) for i in range(len(text) - n + 1) if text[i : i + n] == phrase]


def is_fine(text: Tokens, start: int, end: int, allowed: list[Tokens]) -> bool:
    """Inside an allowed phrase, or one that may still become whole."""
    longer = [phrase for phrase in allowed if len(phrase) > end - start]
    whole = any(i <= start and end <= j for phrase in longer for i, j in met(text, phrase))
    begun = any(
        text[len(text) - done :] == phrase[:done] and len(text) - done <= start
        for phrase in longer
        for done in range(end - start, min(len(phrase), len(text) + 1))
    )
    return whole or begun


def may_follow(text: Tokens, banned: list[Tokens], allowed: list[Tokens]) -> set[int]:
    before = (BEGIN, *text)
    found: set[int] = set()
    for token in range(SIZE):
        after = (*before, token)
        places = [place for phrase in banned for place in met(after, phrase)]
        if all(
            is_fine(after, *place, allowed)
            or (place[1] <= len(before) and not is_fine(before, *place, allowed))
            for place in places
        ):
            found.add(token)
    return found


def left(ban, written: list[Tokens], images: list[int]) -> list[set[int]]:
    rows = torch.tensor(written, dtype=torch.int64).reshape(len(written), -1)
    ruled = ban(rows, torch.zeros(len(rows), SIZE), torch.tensor(images))
    return [set((row == 0).nonzero()[:, 0].tolist()) for row in ruled]


@settings(deadline=None, max_examples=200)
@given(st.lists(st.tuples(sets, sets), min_size=1, max_size=3), st.integers(0, 10), st.data())
def test_against_the_rule(
    images: list[tuple[list[Tokens], list[Tokens]]], length: int, data: st.DataObject
) -> None:
    text = st.lists(st.integers(3, 7), min_size=length, max_size=length).map(tuple)
    rows = data.draw(st.lists(st.tuples(st.integers(0, len(images) - 1), text), min_size=1, max_size=5))
    ban = phrase_ban([banned for banned, _ in images], [allowed for _, allowed in images], BEGIN)
    found = left(ban, [written for _, written in rows], [image for image, _ in rows])
    assert found == [may_follow(written, *images[image]) for image, written in rows]


EFFUSION, PLEURAL, LUNG, CANCER, OF = 3, 4, 5, 6, 7
ALL = set(range(SIZE))


@pytest.mark.parametrize(
    ("banned", "allowed", "written", "expected"),
    [
        ([(EFFUSION,)], [], (OF,), ALL - {EFFUSION}),
        ([(EFFUSION,)], [(PLEURAL, EFFUSION)], (OF,), ALL - {EFFUSION}),
        ([(EFFUSION,)], [(PLEURAL, EFFUSION)], (PLEURAL,), ALL),
        ([(EFFUSION,)], [(PLEURAL, EFFUSION)], (PLEURAL, EFFUSION), ALL - {EFFUSION}),
        # what begins a longer phrase may come, and has to be followed by the rest
        ([(LUNG,)], [(LUNG, CANCER)], (OF,), ALL),
        ([(LUNG,)], [(LUNG, CANCER)], (LUNG,), {CANCER}),
        ([(LUNG,)], [(LUNG, CANCER)], (LUNG, CANCER), ALL),
        # it got through, so nothing more can be done
        ([(LUNG,)], [(LUNG, CANCER)], (LUNG, OF), ALL),
        # whole already in one, begun in another
        ([(EFFUSION,)], [(PLEURAL, EFFUSION), (EFFUSION, OF, LUNG)], (PLEURAL, EFFUSION), ALL),
        ([(EFFUSION,)], [(PLEURAL, EFFUSION), (EFFUSION, OF, LUNG)], (PLEURAL, EFFUSION, OF), ALL),
        ([(EFFUSION,)], [(PLEURAL, EFFUSION), (EFFUSION, OF, LUNG)], (EFFUSION, OF), {LUNG}),
        # two banned phrases want the same, or different things
        ([(LUNG,), (CANCER,)], [(LUNG, CANCER, OF)], (LUNG, CANCER), {OF}),
        ([(LUNG,), (CANCER,)], [(LUNG, CANCER, OF), (CANCER, PLEURAL)], (LUNG, CANCER), {OF}),
        ([(LUNG,), (CANCER,)], [(LUNG, CANCER, OF), (LUNG, CANCER, LUNG)], (LUNG, CANCER), {OF, LUNG}),
        ([(OF, LUNG)], [(LUNG, CANCER)], (OF,), ALL - {LUNG}),
        # only at the beginning
        ([(BEGIN, LUNG)], [], (), ALL - {LUNG}),
        ([(BEGIN, LUNG)], [], (OF,), ALL),
        ([(BEGIN, LUNG)], [(BEGIN, LUNG, CANCER)], (), ALL),
        ([()], [()], (OF,), ALL),
        ([], [(LUNG,)], (OF,), ALL),
    ],
)
def test_cases(banned: list[Tokens], allowed: list[Tokens], written: Tokens, expected: set[int]) -> None:
    assert left(phrase_ban([banned], [allowed], BEGIN), [written], [0]) == [expected]


def test_what_others_forbid_stays_forbidden() -> None:
    ban = phrase_ban([[(EFFUSION,)]], [[(PLEURAL, EFFUSION)]])
    logits = torch.zeros(1, SIZE)
    logits[0, EFFUSION] = FORBIDDEN
    assert ban(torch.tensor([[PLEURAL]]), logits, torch.tensor([0]))[0, EFFUSION] == FORBIDDEN


def test_images_have_their_own() -> None:
    ban = phrase_ban([[(3,)], [(4,)], []], begin=NO_BEGIN)
    assert left(ban, [(7,)] * 4, [1, 0, 2, 1]) == [ALL - {4}, ALL - {3}, ALL, ALL - {4}]


@settings(deadline=None, max_examples=40)
@given(st.tuples(sets, sets), st.integers(0, 10**6), st.sampled_from(["greedy", "beam", "sample"]))
def test_captions_name_nothing_banned(
    bans: tuple[list[Tokens], list[Tokens]], seed: int, method: str
) -> None:
    banned, allowed = bans
    ban = phrase_ban([[], banned], [[], allowed], BEGIN)
    chosen = GenerateSettings(method=method, beams=3, shortest=0, longest=12, no_repeat=0)  # type: ignore[arg-type]
    found = write(random_table(2, SIZE, seed), memory_of([0, 1]), chosen, MARKS, [ban], seeds=[1, 2])
    for one in found[1]:
        text = (BEGIN, *one.tokens)
        for step, token in enumerate((*one.tokens, END)):
            may = may_follow(one.tokens[:step], banned, allowed) - {0, BEGIN}
            # the end is written where nothing else may be, and where the caption is at its greatest length
            assert token in may or (token == END and (step == 12 or not may))
        if not is_bound(one.tokens, banned, allowed):
            places = [place for phrase in banned for place in met(text, phrase)]
            assert all(is_fine(text, *place, allowed) for place in places)


def is_bound(text: Tokens, banned: list[Tokens], allowed: list[Tokens]) -> bool:
    """Whether a caption that ended had to go on."""
    return END not in may_follow(text, banned, allowed)


@settings(deadline=None, max_examples=100)
@given(st.lists(phrases, min_size=1, max_size=6), st.integers(0, 10**6))
def test_the_ends_of_texts(sequences: list[Tokens], seed: int) -> None:
    trie = Trie(sequences)
    texts = np.random.default_rng(seed).integers(3, 9, (5, trie.longest))
    nodes = {
        path[n]: sequence[:n]
        for sequence, path in zip(sequences, trie.paths, strict=True)
        for n in range(len(path))
    }
    for text, ends in zip(texts.tolist(), trie.ends(texts).tolist(), strict=True):
        for length, node in enumerate(ends):
            end = tuple(text[len(text) - length :])
            assert (nodes[node] == end) if node != trie.nowhere else (end not in nodes.values())


@settings(deadline=None, max_examples=60)
@given(st.lists(st.integers(0, 4), max_size=12), st.lists(st.integers(0, 4), max_size=8))
def test_ragged(owner: list[int], asked: list[int]) -> None:
    place, item = Ragged.of(owner, 5).of_all(np.array(asked, np.int64))
    wanted = [(i, n) for i, one in enumerate(asked) for n, who in enumerate(owner) if who == one]
    assert list(zip(place.tolist(), item.tolist(), strict=True)) == wanted
