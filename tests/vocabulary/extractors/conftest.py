"""What the tests of extractors share."""

from __future__ import annotations

import os

import pytest


@pytest.fixture(autouse=True)
def no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a developer has set for real tools reaches only the tests that ask for it by name."""
    for name in list(os.environ):
        if name.startswith(("RADCAP_MEDCAT_", "RADCAP_QUICKUMLS_", "RADCAP_NEURAL_", "RADCAP_TOLD_")):
            monkeypatch.delenv(name)
