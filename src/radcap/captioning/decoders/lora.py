"""Low-rank weights beside a frozen model (Hu et al., 2022), by peft.

Invariant: the model's own weights are never trained; the low-rank ones alone are, and they alone are saved.
"""

# peft is typed in part
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportMissingTypeStubs=false
from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from radcap.core import Missing, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

    import torch
    from torch import nn

    from radcap.captioning.settings import DecoderSettings

__all__ = ["add_lora", "inject_lora", "lora_weights", "merge_lora"]

# As the families of Llama, Mistral, Qwen and Gemma name them.
_ATTENTION = ("q_proj", "k_proj", "v_proj", "o_proj")
_MLP = ("gate_proj", "up_proj", "down_proj")
_ADAPTER = "radcap"  # peft puts it into the names of weights; saved names go without


def add_lora(model: nn.Module, settings: DecoderSettings) -> None:
    """Freeze the model, and put weights of a rank beside its layers; they change nothing before training."""
    if not settings.lora:
        model.requires_grad_(False)
        return
    targets = (*_ATTENTION, *(_MLP if settings.lora_mlp else ()))
    _check_targets(model, targets)
    inject_lora(model, targets, settings.lora, settings.lora_alpha, settings.drop)


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


def _check_targets(model: nn.Module, targets: tuple[str, ...]) -> None:
    names = {name.rpartition(".")[2] for name, _ in model.named_modules()}
    lacking = [one for one in targets if one not in names]
    if lacking:
        raise UsageError(
            f"[decoder] lora cannot be put beside this language model: it has no layers named"
            f" {', '.join(lacking)}. Write lora = 0, or name a model like Llama, Mistral, Qwen or Gemma."
        )


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
