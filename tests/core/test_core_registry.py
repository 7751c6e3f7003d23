"""Blocks by name: our table first, plug-ins beside it, nothing loaded before it is asked for."""

from __future__ import annotations

import math
from importlib.metadata import EntryPoint, EntryPoints

import pytest

from radcap.core import UsageError, registry
from radcap.core.registry import Registry

ROOTS = Registry("root", {"whole": "math:isqrt", "plain": "math:sqrt", "broken": "radcap.nowhere:f"})


@pytest.fixture
def plug_ins(monkeypatch):
    """Entry points of other packages, one of which wants a name of ours."""
    found = EntryPoints(
        [
            EntryPoint("zeta", "math:cbrt", "radcap.root"),
            EntryPoint("cube", "math:cbrt", "radcap.root"),
            EntryPoint("whole", "math:floor", "radcap.root"),
            EntryPoint("other", "math:floor", "radcap.stem"),
        ]
    )
    monkeypatch.setattr(registry, "entry_points", found.select)


def test_names_are_ours_in_order_and_load_nothing():
    assert ROOTS.names == ("whole", "plain", "broken")


def test_a_factory_is_what_the_dotted_path_names():
    assert ROOTS.factory("whole") is math.isqrt
    with pytest.raises(ModuleNotFoundError):
        ROOTS.factory("broken")


def test_a_plug_in_adds_a_name(plug_ins):
    assert ROOTS.names == ("whole", "plain", "broken", "cube", "zeta")
    assert ROOTS.factory("cube") is math.cbrt


def test_a_plug_in_never_takes_a_name_of_ours(plug_ins):
    assert ROOTS.factory("whole") is math.isqrt


@pytest.mark.parametrize("name", ["other", "wole", ""])
def test_an_unknown_name_is_refused_with_the_choice(plug_ins, name):
    with pytest.raises(
        UsageError, match=f"There is no root '{name}'.*Known: whole, plain, broken, cube, zeta"
    ):
        ROOTS.factory(name)
