"""`radcap doctor`: what is told, and the exit code of a broken installation."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from radcap.core import VERSION
from radcap.reading import health
from radcap.reading.health import Asset, Extra, Feature, Health, Machine, Package, Place, Verdict

if TYPE_CHECKING:
    from commands import Command

PLACES = (Place("cache", "/c", 2_000_000_000, True), Place("working folder", "/w", 1, False))
WHOLE = Health(
    VERSION,
    Machine("3.11.9", "Linux x86_64", 2, 8_000_000_000, "none that torch can use", True, "17", PLACES),
    (Extra("", (Package("numpy", "2.0"),)), Extra("read", (Package("torch", None), Package("x", "1")))),
    (Asset("zoo:concepts", "model", 5_700_000, "CC BY 4.0", "as shipped"),),
    (Feature("read images", Verdict.MISSING, "torch is not installed.", "pip install 'radcap[read]'"),),
    (),
)


def found(monkeypatch: pytest.MonkeyPatch, value: Health) -> None:
    monkeypatch.setattr(health, "examine", lambda: value)


def test_a_whole_installation_is_told_in_tables(radcap: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    found(monkeypatch, WHOLE)
    done = radcap("doctor")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0] == f"radcap {VERSION}, Python 3.11.9, Linux x86_64"
    assert "Cores: 2. Memory: 8.0 GB" in lines
    assert "Cache: /c, 2.0 GB free" in lines
    assert "Working folder: /w, 0.0 GB free, NOT WRITABLE" in lines
    assert any("radcap[read]" in line and "in part" in line and "torch -, x 1" in line for line in lines)
    assert any(line.split()[:4] == ["zoo:concepts", "model", "5.7", "CC"] for line in lines)
    assert "pip install 'radcap[read]'" in done.out


def test_a_broken_one_ends_with_3_and_what_to_do(radcap: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    bare = replace(WHOLE.machine, memory_bytes=None)
    extras = (Extra("", (Package("numpy", None),)),)
    found(monkeypatch, replace(WHOLE, machine=bare, extras=extras, features=(), problems=("numpy: gone.",)))
    done = radcap("doctor")
    assert (done.code, done.err) == (3, "Broken: numpy: gone.\n")
    assert "Memory: unknown" in done.out


def test_json_has_everything(radcap: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    found(monkeypatch, WHOLE)
    told = json.loads(radcap("doctor", "--json").out)
    assert told["features"] == [
        {
            "name": "read images",
            "verdict": "missing",
            "why": "torch is not installed.",
            "how": "pip install 'radcap[read]'",
        }
    ]
    assert told["machine"]["places"][1]["writable"] is False
    assert told["extras"][1]["packages"][0] == {"name": "torch", "version": None}
