"""The tables of blocks."""

from __future__ import annotations

import subprocess
import sys

import pytest

from radcap.core import UsageError
from radcap.vision.blocks import BACKBONES, HEADS, LOSSES, POOLINGS
from radcap.vision.heads.csra import TEMPERATURES
from radcap.vision.settings import CSRA_HEADS

TABLES = (BACKBONES, HEADS, LOSSES, POOLINGS)


@pytest.mark.parametrize(("registry", "name"), [(one, name) for one in TABLES for name in one.names])
def test_every_name_leads_to_something_that_makes_it(registry, name):
    assert callable(registry.factory(name))


def test_an_unknown_name_is_refused_with_the_nearest():
    with pytest.raises(UsageError, match=r"There is no loss 'assymetric'. Nearest is 'asymmetric'"):
        LOSSES.factory("assymetric")


def test_names_are_known_without_torch():
    code = "import sys; import radcap.vision.blocks, radcap.vision.settings; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_settings_know_the_counts_of_heads():
    assert tuple(TEMPERATURES) == CSRA_HEADS
    assert all(len(values) == count for count, values in TEMPERATURES.items())
