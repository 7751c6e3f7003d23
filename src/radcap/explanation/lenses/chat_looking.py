"""Where a chat looks while it writes: its attention to the tokens of the image, which lie as a grid.

Invariant: the network is the one that answered, with its attention done step by step for this look alone. An
image that is shown in several parts has no single grid, and is refused.
"""

# torch and transformers are typed in part
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

from contextlib import contextmanager
from math import isqrt
from typing import TYPE_CHECKING, Any

import torch

from radcap.captioning.chats.chat import image_token
from radcap.core import UsageError
from radcap.explanation.lenses.attention import Attended
from radcap.explanation.lenses.chat_lens import ChatLens, answer_scores
from radcap.explanation.lenses.looking import Layers, Looks

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence

    from radcap.explanation.targets import Span

__all__ = ["chat_looks", "grid_of"]

_PARTS = "Use occlusion, or turn the splitting of images off in the processor_config.json of the model."
_FLAT, _IN_PARTS = 4, 5  # dimensions of pictures, and of pictures in parts


def chat_looks(lens: ChatLens, spans: Sequence[Span]) -> Looks:
    """Spans of one caption, scored with all attention in the graph, a row each."""
    chat, tokens = lens.chat, spans[0].tokens
    answered = lens.answered(lens.pixels.expand(len(spans), -1, -1, -1), tokens)
    columns = (answered.given["input_ids"][0] == image_token(chat)).nonzero()[:, 0]
    side = grid_of(answered.given, chat.model.config, columns)
    with torch.enable_grad(), _step_by_step(chat.model):
        told = chat.logits(chat.model, answered, output_attentions=True)
        found = answer_scores(told.logits, answered, len(tokens))
    scores = torch.stack([found[row, one.first : one.last].sum() for row, one in enumerate(spans)])
    length = answered.given["input_ids"].shape[1]
    layers = [one for one in told.attentions or () if one is not None and one.shape[-1] == length]
    if not layers:
        raise UsageError("This chat has no attention over all of its words to show. Use occlusion.")
    seen = tuple(Attended(one, cross=False) for one in layers)
    before = answered.prompts[0] - 1
    return Looks(scores, Layers(seen), before, side, int(columns[0]), len(columns), before)


def grid_of(given: Mapping[str, Any], config: Any, columns: torch.Tensor) -> tuple[int, int]:  # noqa: ANN401 - of transformers
    """Rows and columns of the image, whose tokens stand at these places of the words."""
    count = len(columns)
    if _in_parts(given) or not count or int(columns[-1] - columns[0]) != count - 1:
        raise UsageError(f"This chat is shown an image in parts, which lie in no single grid. {_PARTS}")
    if "image_grid_thw" in given:
        merged: int = config.vision_config.spatial_merge_size
        _, height, width = (int(one) for one in given["image_grid_thw"][0])
        return height // merged, width // merged
    side = isqrt(count)
    if side * side != count:
        raise UsageError(
            f"This chat is shown an image as {count} tokens, which lie in no square. Use occlusion."
        )
    return side, side


def _in_parts(given: Mapping[str, Any]) -> bool:
    """Whether there are more pictures than prompts."""
    pictures = given["pixel_values"]
    split = pictures.ndim == _IN_PARTS and pictures.shape[1] > 1
    return split or (pictures.ndim == _FLAT and len(pictures) > len(given["input_ids"]))


def _derivable(_: object, __: object, out: torch.Tensor) -> torch.Tensor:
    return out.requires_grad_()


@contextmanager
def _step_by_step(model: Any) -> Generator[None]:  # noqa: ANN401 - of transformers
    """Attention whose weights can be told, and what it is of in the graph though no weight learns."""
    before: str = model.config._attn_implementation  # transformers tells it nowhere else
    handle = model.get_input_embeddings().register_forward_hook(_derivable)
    model.set_attn_implementation("eager")
    try:
        yield
    finally:
        handle.remove()
        model.set_attn_implementation(before)
