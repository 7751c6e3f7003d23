"""Which weights of a published captioner learn: its own, less those that are frozen, or low-rank ones beside.

Invariant: weights that no folder holds (new cross-attention) always learn in full: nothing else would ever
give them a sense.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

from typing import TYPE_CHECKING, cast

from torch import nn

from radcap.captioning.decoders.lora import inject_lora, lora_weights
from radcap.captioning.pretrained_settings import fits, named_by
from radcap.core import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import torch

    from radcap.captioning.pretrained.family import Family, Whole
    from radcap.captioning.pretrained_settings import PretrainedSettings

__all__ = ["beside_weights", "choose_learning", "frozen_names"]

_TOLD = 8  # names in a refusal
_LAYERS = ("Linear", "Conv1D", "Embedding")  # what low-rank weights can stand beside


def choose_learning(whole: Whole, settings: PretrainedSettings, family: Family) -> Mapping[str, nn.Parameter]:
    """Freeze what does not learn, and put low-rank weights beside, as the settings say.

    Gives what learns in full, by the names that it has in the published model.
    """
    model: nn.Module = whole.model
    names = dict(model.named_parameters(remove_duplicate=False))  # what comes in and goes out may be one
    frozen = {id(names[name]) for name in frozen_names(tuple(names), settings.freeze)}
    weights = dict(model.named_parameters())
    learns = {name for name, one in weights.items() if one.requires_grad and id(one) not in frozen}
    if settings.lora:
        layers = _layers(model, settings.lora_layers or family.low_rank, whole.fresh)
        inject_lora(model, layers, settings.lora, settings.lora_alpha, settings.lora_drop)
        learns = {name for name in learns if not name.startswith(family.low_rank_part)}
    learns |= whole.fresh
    for name, one in weights.items():
        one.requires_grad_(name in learns)
    return {name: weights[name] for name in sorted(learns)}


def frozen_names(names: Sequence[str], patterns: Sequence[str]) -> Iterator[str]:
    """The names that patterns mean, one pattern after another.

    >>> list(frozen_names(["eyes.a", "eyes.b", "text.a"], ["eyes.*:1", "text.*"]))
    ['eyes.a', 'text.a']
    """
    for pattern in patterns:
        found = named_by(names, pattern)
        if not found:
            raise _unmet("freeze", pattern, "weight", names)
        yield from found


def beside_weights(
    whole: Whole, settings: PretrainedSettings, learnt: Mapping[str, nn.Parameter]
) -> dict[str, torch.Tensor]:
    """What a captioner keeps of a model that has low-rank weights: those, and what learnt in full."""
    if not (settings.train and settings.lora):
        return {}
    return lora_weights(whole.model) | {name: one.detach() for name, one in learnt.items()}


def _layers(model: nn.Module, patterns: Sequence[str], fresh: frozenset[str]) -> list[str]:
    """The layers that are meant, by their names or their last parts, less those that learn in full."""
    modules = cast("Iterator[tuple[str, nn.Module]]", model.named_modules())
    names = [name for name, module in modules if type(module).__name__ in _LAYERS]
    found: list[str] = []
    for pattern in patterns:
        found += [one for one in names if fits(one, pattern) or fits(one.rpartition(".")[2], pattern)]
    if not found:
        raise _unmet("lora_layers", ", ".join(patterns), "layer", names)
    new = {name.rpartition(".")[0] for name in fresh}
    return sorted({*found} - new)


def _unmet(key: str, pattern: str, what: str, names: Sequence[str]) -> UsageError:
    some = ", ".join([*names[: _TOLD // 2], "...", *names[-_TOLD // 2 :]])
    return UsageError(
        f"[pretrained] {key} says {pattern!r}, and no {what} of the model is called so. They are: {some}."
    )
