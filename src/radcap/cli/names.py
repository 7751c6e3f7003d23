"""Names that can be completed in a shell: models, systems, editions, datasets.

Invariant: a name is found without loading what it names, and nothing is said where none fits: the shell then
completes files.
>>> systems("radcap/quick")
['radcap/quick-captions', 'radcap/quick-concepts']
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["datasets", "devices", "editions", "metrics", "models", "systems"]


def models(incomplete: str) -> list[str]:
    """Models that ship inside."""
    from radcap.zoo import names

    return _fitting(names(), incomplete)


def systems(incomplete: str) -> list[str]:
    """Systems of the catalogue."""
    from radcap.systems import system_names

    return _fitting(system_names(), incomplete)


def editions(incomplete: str) -> list[str]:
    """Editions of the challenge."""
    from radcap.metrics import EDITIONS

    return _fitting(EDITIONS, incomplete)


def datasets(incomplete: str) -> list[str]:
    """Datasets that ship inside."""
    from radcap.datasets.loading import BUNDLED

    return _fitting(BUNDLED, incomplete)


def metrics(incomplete: str) -> list[str]:
    """The last of a list parted by commas, with what stands before it."""
    from radcap.metrics.caption_metrics import CAPTION_METRICS

    before, comma, _ = incomplete.rpartition(",")
    return _fitting((f"{before}{comma}{name}" for name in (*CAPTION_METRICS, "all")), incomplete)


def devices(incomplete: str) -> list[str]:
    """Where to compute."""
    return _fitting(("auto", "cpu", "cuda"), incomplete)


def _fitting(names: Iterable[str], incomplete: str) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]
