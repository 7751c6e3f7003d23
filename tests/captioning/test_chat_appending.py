"""Prompts with answers behind them: what counts, and that nothing else moves."""

from __future__ import annotations

from typing import Any

import torch
from hypothesis import given
from hypothesis import strategies as st

from radcap.captioning.chats.appending import IGNORED, appended

PAD = 0
ROWS = st.lists(
    st.tuples(
        st.lists(st.integers(1, 99), min_size=1, max_size=6),
        st.lists(st.integers(100, 199), max_size=5),
    ),
    min_size=1,
    max_size=4,
)


@given(ROWS)
def test_an_answer_follows_its_prompt_and_nothing_else_is_learnt(
    rows: list[tuple[list[int], list[int]]],
) -> None:
    width = max(len(prompt) for prompt, _ in rows)
    ids = torch.tensor([[PAD] * (width - len(prompt)) + prompt for prompt, _ in rows])
    mask = torch.tensor([[0] * (width - len(prompt)) + [1] * len(prompt) for prompt, _ in rows])
    given_: dict[str, Any] = {
        "input_ids": ids,
        "attention_mask": mask,
        "kinds": (ids % 2) * mask,  # something that is said of each token
        "pixels": torch.ones(len(rows), 3, 2, 2),
        "note": "kept",
    }
    found = appended(given_, [answer for _, answer in rows], PAD)
    whole = found.given["input_ids"]
    assert found.prompts == tuple(len(prompt) for prompt, _ in rows)
    assert whole.shape[1] == max(len(prompt) + len(answer) for prompt, answer in rows)
    for row, (prompt, answer) in enumerate(rows):
        both = [*prompt, *answer]
        rest = whole.shape[1] - len(both)
        assert whole[row].tolist() == [*both, *[PAD] * rest]
        assert found.given["attention_mask"][row].tolist() == [1] * len(both) + [0] * rest
        assert found.given["kinds"][row].tolist() == [one % 2 for one in prompt] + [0] * (len(answer) + rest)
        # the token after each place, where that is of the answer
        after = [IGNORED] * whole.shape[1]
        after[len(prompt) - 1 : len(both) - 1] = answer
        assert found.targets[row].tolist() == after[-found.kept :]
        assert sum(one != IGNORED for one in found.targets[row].tolist()) == len(answer)
    assert found.given["pixels"] is given_["pixels"]
    assert found.given["note"] == "kept"
