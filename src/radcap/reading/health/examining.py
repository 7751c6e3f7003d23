"""The state of this installation, in one value.

Invariant: where a package of the base install is missing, the parts that need it are left out, not guessed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.core import VERSION
from radcap.reading.health.machine import examine_machine
from radcap.reading.health.packages import extras
from radcap.reading.health.shipped_files import changed_files
from radcap.reading.health.values import Health

if TYPE_CHECKING:
    from radcap.reading.health.values import Asset, Extra, Feature

__all__ = ["examine"]


def examine() -> Health:
    """What is here, and what can be done with it."""
    packages, changed, machine = extras(), changed_files(), examine_machine()
    assets: tuple[Asset, ...] = ()
    able: tuple[Feature, ...] = ()
    problems = _problems(packages, changed)
    try:
        from radcap.reading.health.assets import data_assets, model_assets
        from radcap.reading.health.features import features

        assets = (*model_assets(changed), *data_assets(changed))
        able = features(assets, torch_loads=machine.torch_loads)
    except ModuleNotFoundError as error:
        problems = problems or (f"{error.name} is not installed. Run: pip install {error.name}",)
    return Health(VERSION, machine, packages, assets, able, problems)


def _problems(packages: tuple[Extra, ...], changed: tuple[str, ...]) -> tuple[str, ...]:
    absent = packages[0].missing
    found: list[str] = []
    if absent:
        found.append(f"{', '.join(absent)}: not installed. Run: pip install radcap")
    if changed:
        found.append(
            f"{', '.join(changed)}: not the file that shipped."
            " Run: pip install --force-reinstall --no-deps radcap"
        )
    return tuple(found)
