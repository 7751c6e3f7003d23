"""Answers of a chat for a batch of pictures, by the method of the settings.

Invariant: transformers' own `generate` writes, so every model is read as its authors meant it; our rules say
what may come next, and our lots fall where captions are drawn, so that those of an image are the same in any
batch (to the rounding of the model).
"""

# torch and transformers are typed in part
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import torch

from radcap.captioning.chats.ruling import Chosen, Never, Ruled
from radcap.captioning.generation import Candidate, draws, marks_of
from radcap.captioning.generation.candidate import no_number
from radcap.captioning.generation.greedy import likeliest
from radcap.captioning.generation.rows import Rows, candidates_of
from radcap.captioning.generation.rules import rules_of
from radcap.captioning.generation.sampling import drawing
from radcap.detection.text.transformers_library import transformers_module

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from radcap.captioning.chats.chat import Chat
    from radcap.captioning.generation import Control
    from radcap.captioning.settings import GenerateSettings

__all__ = ["answers_of"]

_NEVER = -1e8  # the score of a place in a beam that holds no caption


def answers_of(
    chat: Chat,
    given: Mapping[str, Any],
    settings: GenerateSettings,
    controls: Sequence[Control] = (),
    *,
    seeds: Sequence[int] = (),
) -> list[list[Candidate]]:
    """The answers to each prompt, best score first."""
    marks = marks_of(chat.tokenizer)
    rules = rules_of(settings, marks, (Never(chat.tokenizer.never), *controls))
    if settings.method in ("beam", "mbr") and settings.beams > 1 and not draws(settings):
        return _beams(chat, given, settings, Ruled(rules, settings.beams))
    copies, choose = 1, likeliest
    if draws(settings):
        copies, choose = drawing(settings, seeds, settings.longest + 1, chat.place.device)
    chosen = Chosen(rules, copies, choose)
    drawn: dict[str, Any] = {"do_sample": True, "num_return_sequences": copies, "top_k": 0}
    tokens = _generated(chat, given, settings, chosen, drawn).sequences
    found = candidates_of(_rows(tokens[:, chosen.prompt :], chosen), settings.length_penalty)
    images = (found[start : start + copies] for start in range(0, len(found), copies))
    return [sorted(image, key=lambda one: one.score, reverse=True) for image in images]


def _rows(tokens: torch.Tensor, chosen: Chosen) -> Rows:
    """Every answer up to its end mark."""
    is_end = (tokens == chosen.rules.end).long()
    return Rows(tokens, is_end.cumsum(dim=1) - is_end == 0, chosen.sums)


def _beams(
    chat: Chat, given: Mapping[str, Any], settings: GenerateSettings, ruled: Ruled
) -> list[list[Candidate]]:
    """Those that beam search keeps; its score is the sum divided by the length to the penalty."""
    many: dict[str, Any] = {"num_beams": settings.beams, "num_return_sequences": settings.beams}
    many |= {"length_penalty": settings.length_penalty, "output_scores": True}
    out = _generated(chat, given, settings, ruled, many)
    found: list[Candidate] = []
    rows = cast("list[list[int]]", out.sequences[:, ruled.prompt :].tolist())
    for row, score in zip(rows, cast("list[float]", out.sequences_scores.tolist()), strict=True):
        tokens = tuple(row[: row.index(ruled.rules.end)] if ruled.rules.end in row else row)
        found.append(Candidate(tokens, score * (len(tokens) + 1) ** settings.length_penalty, score))
    images = [found[start : start + settings.beams] for start in range(0, len(found), settings.beams)]
    kept = [[one for one in image if one.score > _NEVER] for image in images]
    if not all(kept):
        raise no_number()
    return kept


def _generated(
    chat: Chat, given: Mapping[str, Any], settings: GenerateSettings, ruled: Ruled, how: Mapping[str, Any]
) -> Any:  # noqa: ANN401 - of transformers
    with chat.vlm.refusing(), chat.place.autocast():
        config = transformers_module().GenerationConfig(
            max_new_tokens=settings.longest + 1,
            eos_token_id=chat.tokenizer.end,
            pad_token_id=chat.tokenizer.pad,
            return_dict_in_generate=True,
            **how,
        )
        return chat.model.generate(**given, generation_config=config, logits_processor=[ruled])
