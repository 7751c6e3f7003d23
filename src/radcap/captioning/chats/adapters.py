"""Low-rank weights beside a chat (Hu et al., 2022), by peft, kept in peft's own layout.

Invariant: the model's own weights do not learn and are not kept; an adapter goes beside the base it was
trained over, and its file names every weight of it.
"""

# peft is typed in part
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportMissingTypeStubs=false
from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from radcap.core import InputError, Missing, UsageError
from radcap.vision.torchvision_ops import ensure_torchvision
from radcap.vision.weight_files import read_weight_file

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType

    import torch
    from torch import nn

    from radcap.captioning.pretrained_settings import PretrainedSettings

__all__ = ["add_adapter", "load_adapter", "save_adapter"]

_ATTENTION = ("q_proj", "k_proj", "v_proj", "o_proj")  # as nearly every language model names them
_WEIGHTS, _SHOWN = "adapter_model.safetensors", 12


def add_adapter(model: Any, settings: PretrainedSettings) -> Any:  # noqa: ANN401 - of peft
    """The model with weights of a rank beside its layers, which change nothing before training."""
    peft: Any = _peft_module()
    config = peft.LoraConfig(
        r=settings.lora,
        lora_alpha=settings.lora_alpha,
        lora_dropout=settings.lora_drop,
        target_modules=_targets(model, settings.lora_layers),
    )
    return peft.get_peft_model(model, config)


def save_adapter(adapted: Any, folder: Path) -> None:  # noqa: ANN401 - of peft
    """As peft lays it out: adapter_config.json and adapter_model.safetensors."""
    adapted.save_pretrained(str(folder), save_embedding_layers=False)
    (folder / "README.md").unlink(missing_ok=True)  # peft's questions to whoever publishes it


def load_adapter(adapted: Any, folder: Path) -> None:  # noqa: ANN401 - of peft
    """Weights that were saved so; a file that does not have exactly these is refused."""
    peft: Any = _peft_module()
    path = folder / _WEIGHTS
    held, wanted = (
        read_weight_file(path),
        peft.get_peft_model_state_dict(adapted, save_embedding_layers=False),
    )
    wrong = [one for one in wanted if one not in held or held[one].shape != wanted[one].shape]
    wrong += [one for one in held if one not in wanted]
    if wrong:
        raise InputError(
            f"{path} does not fit the model and system.toml beside it: {wrong[0]} is another. Train anew, or"
            " get the folder again.",
            path=str(path),
        )
    peft.set_peft_model_state_dict(adapted, held)


def _targets(model: Any, names: tuple[str, ...]) -> list[str]:  # noqa: ANN401 - of transformers
    """The layers that are named, or those of attention in the language model."""
    inside = {id(one) for one in model.get_decoder().modules()}
    layers: dict[str, nn.Module] = {
        name: one
        for name, one in model.named_modules()
        if hasattr(one, "weight") and not list(one.children())
    }
    found = [
        name
        for name, layer in layers.items()
        if (any(f".{name}".endswith(f".{one}") for one in names) if names else _attends(name, layer, inside))
    ]
    lacking = [one for one in names if not any(f".{name}".endswith(f".{one}") for name in layers)]
    if lacking or not found:
        wanted = ", ".join(lacking or _ATTENTION)
        known = sorted({name.rpartition(".")[2] for name, one in layers.items() if _ndim(one) > 1})
        raise UsageError(
            f"[pretrained] lora has nothing to stand beside: the model has no layers named {wanted}. Write"
            f" lora_layers with some of {', '.join(known[:_SHOWN])}."
        )
    return found


def _attends(name: str, layer: nn.Module, inside: set[int]) -> bool:
    return name.rpartition(".")[2] in _ATTENTION and id(layer) in inside


def _ndim(layer: nn.Module) -> int:
    return cast("torch.Tensor", layer.weight).ndim


def _peft_module() -> ModuleType:
    ensure_torchvision()  # peft loads transformers
    try:
        import peft
    except ImportError as error:
        raise Missing(
            "peft", "It puts low-rank weights beside a chat.", "Install it: pip install 'radcap[lm]'."
        ) from error
    return peft
