"""What a method is: from a lens and targets to one map for each.

Invariant: all targets of an image are explained in one call, so that a method can share its work among them;
a method that does not suit a model raises `UsageError` and says which one does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, cast

from radcap.core.registry import Registry

if TYPE_CHECKING:
    from collections.abc import Sequence

    import torch

    from radcap.explanation.lenses.lens import Lens
    from radcap.explanation.targets import Target

__all__ = ["METHODS", "Method", "Relevance", "make_method"]

_HERE = "radcap.explanation.methods"

METHODS = Registry(
    "explainer",
    {
        "grad-cam": f"{_HERE}.grad_cam:GradCam",
        "hires-cam": f"{_HERE}.hires_cam:HiResCam",
        "layer-cam": f"{_HERE}.layer_cam:LayerCam",
        "ablation-cam": f"{_HERE}.ablation_cam:AblationCam",
        "integrated-gradients": f"{_HERE}.integrated_gradients:IntegratedGradients",
        "lrp": f"{_HERE}.lrp:Lrp",
        "csra-map": f"{_HERE}.csra_map:CsraMap",
        "rollout": f"{_HERE}.rollout:Rollout",
        "chefer": f"{_HERE}.chefer:Chefer",
        "cross-attention": f"{_HERE}.cross_attention:CrossAttention",
        "occlusion": f"{_HERE}.occlusion:Occlusion",
    },
)


@dataclass(frozen=True, slots=True, eq=False)
class Relevance:
    """Maps over the pixels of a lens, targets x h x w at any size; `spread` is their uncertainty."""

    maps: torch.Tensor
    spread: torch.Tensor | None = None


class Method(Protocol):
    """A way to explain; its settings are its fields."""

    def __call__(self, lens: Lens, targets: Sequence[Target]) -> Relevance: ...


def make_method(name: str, **settings: Any) -> Method:  # noqa: ANN401 - each method has its own
    """The method of a name, with its own settings but for those that are given."""
    return cast("Method", METHODS.factory(name)(**settings))
