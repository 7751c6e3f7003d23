"""Low-rank weights beside a frozen model (Hu et al., 2022), by peft.

Invariant: the model's own weights are never trained; the low-rank ones alone are, and they alone are saved.
"""

# peft is typed in part
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportMissingTypeStubs=false
from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from radcap.core import Missing, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

    import torch
    from torch import nn

    from radcap.captioning.settings import DecoderSettings

__all__ = ["add_lora", "inject_lora", "lora_weights", "merge_lora"]

_ADAPTER = "radcap"  # peft puts it into the names of weights; saved names go without


@dataclass(frozen=True, slots=True)
class Layers:
    """What a family of models calls its layers of attention, and those after them: one set of several."""

    attention: tuple[str, ...]
    after: tuple[tuple[str, ...], ...]


# The first family whose attention a model has; the published choice of layers of each.
_FAMILIES = (
    # Llama, Mistral, Qwen and Gemma
    Layers(("q_proj", "k_proj", "v_proj", "o_proj"), (("gate_proj", "up_proj", "down_proj"),)),
    Layers(("q_proj", "v_proj"), (("fc1", "fc2"),)),  # BART, Pegasus, OPT and BioGPT
    Layers(("q", "v"), (("wi_0", "wi_1", "wo"), ("wi", "wo"))),  # T5 and Flan-T5
    Layers(("c_attn",), (("c_fc", "mlp.c_proj"),)),  # GPT-2 and BioMedLM
)


def add_lora(model: nn.Module, settings: DecoderSettings) -> None:
    """Freeze the model, and put weights of a rank beside its layers; they change nothing before training."""
    if not settings.lora:
        model.requires_grad_(False)
        return
    inject_lora(model, _targets(model, settings), settings.lora, settings.lora_alpha, settings.drop)


def inject_lora(model: nn.Module, layers: Sequence[str], rank: int, alpha: float, drop: float) -> None:
    """Freeze the model, and put low-rank weights beside layers, by their names or their last parts."""
    peft: Any = _peft_module()
    config = peft.LoraConfig(
        r=rank, lora_alpha=alpha, lora_dropout=drop, target_modules=list(layers), fan_in_fan_out=False
    )
    with warnings.catch_warnings():
        # GPT-2's layers lie the other way round: peft sees that, puts it right and says so
        warnings.filterwarnings("ignore", "fan_in_fan_out")
        peft.inject_adapter_in_model(config, model, adapter_name=_ADAPTER)
    for name, weight in model.named_parameters():
        weight.requires_grad_(f".{_ADAPTER}." in name)


def lora_weights(model: nn.Module) -> dict[str, torch.Tensor]:
    """The low-rank weights by the layers they stand beside."""
    held = model.state_dict()
    return {_saved(name): weight for name, weight in held.items() if f".{_ADAPTER}." in name}


def merge_lora(model: nn.Module) -> None:
    """Add the low-rank weights to those they stand beside, once: they then cost no time."""
    for module in model.modules():
        layer: Any = module
        if getattr(layer, "lora_A", None) and not layer.merged:
            layer.merge()


def _saved(name: str) -> str:
    return name.replace(f".{_ADAPTER}.", ".")


def _targets(model: nn.Module, settings: DecoderSettings) -> tuple[str, ...]:
    """The layers that weights are put beside, as the family of a model calls them."""
    names = cast("list[str]", [name for name, _ in model.named_modules()])
    family = next((one for one in _FAMILIES if _has(names, one.attention)), None)
    if family is None:
        raise UsageError(
            "[decoder] lora cannot be put beside this language model: its layers of attention are none that"
            " are known. Write lora = 0, or name a model like Llama, Mistral, Qwen, Gemma, OPT, GPT-2, T5 or"
            " BART."
        )
    if not settings.lora_mlp:
        return family.attention
    after = next((some for some in family.after if _has(names, some)), None)
    if after is None:
        raise UsageError(
            "[decoder] lora_mlp cannot be followed: this language model has no layers after attention named"
            f" {' or '.join(', '.join(some) for some in family.after)}. Write lora_mlp = false."
        )
    return (*family.attention, *after)


def _has(names: list[str], wanted: tuple[str, ...]) -> bool:
    return all(any(name.endswith(f".{one}") for name in names) for one in wanted)


def _peft_module() -> ModuleType:
    try:
        import peft
    except ImportError as error:
        raise Missing(
            "peft",
            "It puts low-rank weights beside a language model.",
            "Install it: pip install 'radcap[lm]'.",
        ) from error
    return peft
