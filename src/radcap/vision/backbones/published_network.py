"""A network of transformers with the weights of a published folder.

Invariant: every weight of the network comes from the folder, or the folder is refused with the first that
does not.
"""

# transformers is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import torch

from radcap.core import InputError
from radcap.vision.backbones.probing import first_line

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["load_network", "without_pooler"]


def load_network(
    cls: Any,  # noqa: ANN401 - transformers' own
    config: Any,  # noqa: ANN401 - as above
    inside: Mapping[str, torch.Tensor],
    path: Path,
    what: str,
) -> Any:  # noqa: ANN401 - as above
    """By transformers' own way, which knows the names that weights had in earlier years."""
    options: dict[str, Any] = {"dtype": torch.float32, "output_loading_info": True}
    options["ignore_mismatched_sizes"] = True  # they are told below, by name
    try:
        network, loading = cls.from_pretrained(
            None, config=config, state_dict=dict(inside), **options, **without_pooler(cls)
        )
    except Exception as error:  # transformers raises what its many parts raise
        raise _unfit(path, what, first_line(error)) from error
    wrong = sorted({*loading["missing_keys"], *(one[0] for one in loading["mismatched_keys"])})
    if wrong:
        why = f"{len(wrong):,} weights are absent or of another shape, {wrong[0]} first"
        raise _unfit(path, what, why)
    return network


def without_pooler(cls: Any) -> dict[str, Any]:  # noqa: ANN401 - transformers' own
    """A pooler that few checkpoints fill is left away: the class token or the mean stands for it."""
    parameters = inspect.signature(cls.__init__).parameters
    return {"add_pooling_layer": False} if "add_pooling_layer" in parameters else {}


def _unfit(path: Path, what: str, why: str) -> InputError:
    told = f"{path} does not fit {what} that is described beside it: {why}"
    return InputError(f"{told}. Get the published folder again.", path=str(path))
