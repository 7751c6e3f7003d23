"""Where a model may be trained to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from system_samples import TINY_SYSTEM

from radcap.core import UsageError
from radcap.datasets.synthetic import synthetic
from radcap.systems.training import train

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("system", ["mine.toml", "radcap/quick-captions"])
def test_a_saved_dataset_is_not_taken_for_a_finished_model(
    system: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.toml").write_text(TINY_SYSTEM, encoding="utf-8")
    synthetic(8, size=32).save("data")
    held = sorted(tmp_path.rglob("*"))
    with pytest.raises(
        UsageError, match=r"^data holds files that are no training of radcap\. Choose a new or"
    ):
        train(system, "data", "data")
    assert sorted(tmp_path.rglob("*")) == held
