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

from radcap.captioning.chats.ruling import Chosen, Followed, Never
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
    from radcap.captioning.chats.ruling import Ruled
    from radcap.captioning.generation import Control
    from radcap.captioning.generation.controls import Weight
    from radcap.captioning.settings import GenerateSettings

__all__ = ["answers_of"]

_NEVER = -1e8  # the score of a place in a beam that holds no caption


def answers_of(
    chat: Chat,
    given: Mapping[str, Any],
    settings: GenerateSettings,
    controls: Sequence[Control] = (),
    *,
    weights: Sequence[Weight] = (),
    seeds: Sequence[int] = (),
) -> list[list[Candidate]]:
    """The answers to each prompt, best score first."""
    rules = rules_of(settings, marks_of(chat.tokenizer), (Never(chat.tokenizer.never), *controls))
    if settings.method in ("beam", "mbr") and settings.beams > 1 and not draws(settings):
        return _beams(chat, given, settings, Followed(rules, settings.beams, weights))
    copies, choose = 1, likeliest
    if draws(settings):
        copies, choose = drawing(settings, seeds, settings.longest + 1, chat.place.device)
    chosen = Chosen(rules, copies, choose, weights)
    drawn: dict[str, Any] = {"do_sample": True, "num_return_sequences": copies, "top_k": 0}
    tokens = _generated(chat, given, settings, chosen, drawn).sequences[:, chosen.prompt :]
    found = candidates_of(Rows(tokens, _there(tokens, rules.end), chosen.sums), settings.length_penalty)
    images = (found[start : start + copies] for start in range(0, len(found), copies))
    return [sorted(image, key=lambda one: one.score, reverse=True) for image in images]


def _there(tokens: torch.Tensor, end: int) -> torch.Tensor:
    """Every answer up to its end mark, and for it."""
    is_end = (tokens == end).long()
    return is_end.cumsum(dim=1) - is_end == 0


def _beams(
    chat: Chat, given: Mapping[str, Any], settings: GenerateSettings, followed: Followed
) -> list[list[Candidate]]:
    """Those that beam search keeps; its score is the sum divided by the length to the penalty."""
    many: dict[str, Any] = {"num_beams": settings.beams, "num_return_sequences": settings.beams}
    many |= {"length_penalty": settings.length_penalty, "output_scores": True}
    out = _generated(chat, given, settings, followed, many)
    tokens = out.sequences[:, followed.prompt :]
    sums = cast("list[float]", followed.sums(tokens, out.beam_indices).tolist())
    lengths = cast("list[int]", _there(tokens, followed.rules.end).sum(dim=1).tolist())
    rows = zip(cast("list[list[int]]", tokens.tolist()), lengths, strict=True)
    scores = cast("list[float]", out.sequences_scores.tolist())
    found = [
        Candidate(tuple(row[: length - 1]), total, score)
        for (row, length), total, score in zip(rows, sums, scores, strict=True)
    ]
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
