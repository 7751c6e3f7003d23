"""Text decoders of others that look at an image, run over their own weights: GPT-2 and those like BERT.

A layer is asked for its parts, and attention is done here: what is seen of an image is computed once for all
of its captions, which ask side by side as the queries of one row, and what a caption has read stays where it
was written; who reads what of it is a table of ancestors. So a beam that changes its place costs nothing.
Masks are numbers that are added, made once and laid out as the quick kernels want them: in rows of whole
lines of memory.
Invariant: logits are those of transformers' own forward (to rounding). A state is used up by the step that is
made from it: both write to the same past.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, cast

import torch
from torch.nn import functional as F  # noqa: N812 - as everybody names it

from radcap.captioning.decoders.decoder import Decoder
from radcap.core import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.captioning.decoders.decoder import State
    from radcap.captioning.decoders.memory import Memory

__all__ = ["Block", "Pair", "Text", "Woven", "WovenState"]

_LINE = 16  # numbers: rows of a mask begin at a multiple of it, or a kernel would copy the mask first

Pair: TypeAlias = "tuple[torch.Tensor, torch.Tensor]"


class Block(Protocol):
    """One layer, less its attention. All values are n x t x width, heads side by side."""

    def own(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """What each token asks of those before it, and keys and values of its own."""
        ...

    def read(self, x: torch.Tensor, view: torch.Tensor) -> torch.Tensor:
        """With what it has read."""
        ...

    def ask(self, x: torch.Tensor) -> torch.Tensor:
        """What it asks of the memory."""
        ...

    def see(self, memory: torch.Tensor) -> Pair:
        """Keys and values of a memory."""
        ...

    def look(self, x: torch.Tensor, view: torch.Tensor) -> torch.Tensor:
        """With what it has seen."""
        ...

    def think(self, x: torch.Tensor) -> torch.Tensor:
        """With what it makes of both."""
        ...


class Text(Protocol):
    """A text decoder taken apart. `sees` is the width of a memory, `places` the most tokens of a text."""

    blocks: Sequence[Block]
    heads: int
    sees: int
    places: int
    drop: float  # of attention
    scales: Sequence[float]  # of attention, by layer

    def words(self, tokens: torch.Tensor, first: int, last: int) -> torch.Tensor:
        """Tokens (n x t) at these places as they come in; at one place where there is one."""
        ...

    def vectors(self, tokens: torch.Tensor) -> torch.Tensor:
        """Tokens alone."""
        ...

    def logits(self, x: torch.Tensor) -> torch.Tensor: ...


@dataclass(frozen=True, slots=True, eq=False)
class WovenState:
    """`each` captions of n images, side by side; `done` tokens of each are read.

    `past` has keys and values of all captions: layers x 2 x n x heads x longest x each x depth. `line` is
    the mask of what a caption goes on from of them: n x 1 x each x (longest x each).
    """

    sights: tuple[Pair, ...]  # of each layer, n x heads x entries x depth
    there: torch.Tensor | None  # the mask of the entries, n x 1 x 1 x entries; none where all is there
    past: torch.Tensor
    line: torch.Tensor
    each: int = 1
    done: int = 0

    def within(self, rows: torch.Tensor) -> WovenState:
        """Nothing is moved: a caption goes on from where another one was."""
        mine = (rows % self.each).view(-1, 1, self.each, 1)
        return replace(self, line=self.line.gather(2, mine.expand_as(self.line)))

    def take(self, rows: torch.Tensor) -> WovenState:
        """Where each image keeps as many captions they stay side by side, else each stands alone."""
        of = rows // self.each
        runs = cast("Pair", torch.unique_consecutive(of, return_counts=True))
        images, many = runs[0], cast("list[int]", runs[1].unique().tolist())
        each, images = (many[0], images) if len(many) == 1 else (1, of)
        sights = tuple((keys[images], values[images]) for keys, values in self.sights)
        there = None if self.there is None else self.there[images]
        layers, two, _, heads, longest, _, depth = self.past.shape
        past = self.past.new_empty(layers, two, len(images), heads, longest, each, depth)
        line = _closed(len(images), each, longest, past)
        if self.done:
            read = self._read(of, rows % self.each)
            past[..., : self.done, :, :] = read.unflatten(2, (-1, each)).movedim(3, 5)
            line[..., : self.done * each] = _own(each, line).repeat(1, self.done)
        return WovenState(sights, there, past, line, each, self.done)

    def _read(self, of: torch.Tensor, mine: torch.Tensor) -> torch.Tensor:
        """Keys and values that rows have read, by each alone: layers x 2 x rows x heads x done x depth."""
        open_ = self.line[of, 0, mine, : self.done * self.each]
        line = open_.view(-1, self.done, self.each).argmax(-1)  # the one that is not minus infinity
        times = torch.arange(self.done, device=of.device)
        found = self.past[:, :, of[:, None], :, times[None], line]  # rows x done x layers x 2 x heads x depth
        return found.permute(2, 3, 0, 4, 1, 5)


class Woven(Decoder):
    """`model` holds the weights as transformers has them, `text` takes it apart."""

    def __init__(self, model: Any, text: Text, size: int) -> None:  # noqa: ANN401 - transformers' own
        super().__init__()
        self.model = model
        self.text = text
        self.width, self.size = text.sees, size

    def forward(self, memory: Memory, tokens: torch.Tensor) -> torch.Tensor:
        text, entries = self.text, memory.held()
        drop = text.drop if self.training else 0.0
        # without a mask the quickest kernels can be taken; with one it is seen that a memory is looked at
        masked, there = not (memory.whole and self.training), None
        x = text.words(tokens, 0, self._checked(tokens.shape[1]))
        for block, scale in zip(text.blocks, text.scales, strict=True):
            queries, keys, values = map(self._split, block.own(x))
            x = block.read(x, _view(queries, keys, values, None, scale, drop, causal=True))
            queries, keys, values = map(self._split, (block.ask(x), *block.see(entries)))
            if masked and there is None:
                there = _mask(memory.there, queries)[..., : entries.shape[1]]
            x = block.think(block.look(x, _view(queries, keys, values, there, scale, drop)))
        return text.logits(x)[..., : self.size]

    @torch.no_grad()
    def begin(self, memory: Memory, longest: int) -> WovenState:
        text, entries, images = self.text, memory.held(), len(memory)
        seen = (block.see(entries) for block in text.blocks)
        sights = tuple((self._split(keys), self._split(values)) for keys, values in seen)
        keys = sights[0][0]
        shape = (len(sights), 2, images, text.heads, self._checked(longest), 1, keys.shape[-1])
        there = None if memory.whole else _mask(memory.there, keys)
        return WovenState(sights, there, keys.new_empty(shape), _closed(images, 1, longest, keys))

    @torch.no_grad()
    def step(self, state: State, tokens: torch.Tensor) -> tuple[torch.Tensor, WovenState]:
        before, text = cast("WovenState", state), self.text
        done, each = before.done, before.each
        before.line[..., done * each : (done + 1) * each] = _own(each, before.line)
        mask = None if each == 1 else before.line[..., : (done + 1) * each]
        there = None if before.there is None else before.there[..., : before.sights[0][0].shape[2]]
        x = text.words(tokens.view(-1, each), done, done + 1)
        layers = zip(text.blocks, text.scales, before.sights, before.past, strict=True)
        for block, scale, sight, past in layers:
            queries, *entries = map(self._split, block.own(x))
            past[0, :, :, done], past[1, :, :, done] = entries
            keys, values = past[:, :, :, : done + 1].flatten(3, 4)
            x = block.read(x, _view(queries, keys, values, mask, scale))
            x = block.think(block.look(x, _view(self._split(block.ask(x)), *sight, there, scale)))
        return text.logits(x).flatten(0, 1)[:, : self.size], replace(before, done=done + 1)

    def embed(self, tokens: torch.Tensor) -> torch.Tensor:
        return self.text.vectors(tokens)

    def own_weights(self) -> dict[str, torch.Tensor]:
        """Each once: what comes in and what goes out may be one."""
        return {name: one.detach() for name, one in self.named_parameters()}

    def _split(self, x: torch.Tensor) -> torch.Tensor:
        return x.view(*x.shape[:2], self.text.heads, -1).transpose(1, 2)

    def _checked(self, tokens: int) -> int:
        """So many tokens, where there are places for them."""
        most = self.text.places
        if tokens > most:
            raise UsageError(
                f"{tokens} tokens are asked for, and the published decoder knows texts of {most}. Give less"
                " as [generate] longest and [decoder] longest: the begin mark takes one."
            )
        return tokens


def _view(
    queries: torch.Tensor,
    keys: torch.Tensor,
    values: torch.Tensor,
    mask: torch.Tensor | None,
    scale: float,
    drop: float = 0.0,
    *,
    causal: bool = False,
) -> torch.Tensor:
    """What is seen, the heads' views side by side: n x t x width."""
    views = F.scaled_dot_product_attention(queries, keys, values, mask, drop, is_causal=causal, scale=scale)
    return views.transpose(1, 2).flatten(2)


def _own(each: int, like: torch.Tensor) -> torch.Tensor:
    """Each caption goes on from itself."""
    own = torch.eye(each, dtype=torch.bool, device=like.device)
    return like.new_zeros(each, each).masked_fill_(~own, -torch.inf)


def _mask(seen: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
    """What is added to attention to a memory (n x entries), n x 1 x 1 x at least as many."""
    rows = like.new_full((len(seen), 1, 1, _room(seen.shape[1])), -torch.inf)
    rows[:, 0, 0, : seen.shape[1]].masked_fill_(seen, 0)
    return rows


def _closed(images: int, each: int, longest: int, like: torch.Tensor) -> torch.Tensor:
    """What is added to attention to captions of which nothing is read yet."""
    return like.new_full((images, 1, each, _room(longest * each)), -torch.inf)


def _room(width: int) -> int:
    """Whole lines of so many numbers."""
    return -(-width // _LINE) * _LINE
