"""Where models are found."""

from __future__ import annotations

from pathlib import Path

import pytest

from radcap.core import UsageError
from radcap.zoo import find, names
from radcap.zoo.finding import PREFIX


def test_the_models_inside_are_found_by_name() -> None:
    assert "zoo:concepts" in names()
    for name in names():
        folder = find(name)
        assert folder.name == name.removeprefix(PREFIX)
        assert (folder / "card.json").is_file()


def test_a_path_is_a_model_where_it_has_a_card(tmp_path: Path) -> None:
    for wrong in (tmp_path, tmp_path / "none", str(tmp_path)):
        with pytest.raises(UsageError, match=r"is no model folder: it has no card.json. .*zoo:concepts"):
            find(wrong)
    (tmp_path / "card.json").write_text("{}")
    assert find(tmp_path) == find(str(tmp_path)) == tmp_path


def test_a_model_that_was_fetched_is_found_in_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RADCAP_CACHE", str(tmp_path))
    (tmp_path / "zoo" / "mine").mkdir(parents=True)
    with pytest.raises(UsageError):
        find("zoo:mine")
    (tmp_path / "zoo" / "mine" / "card.json").write_text("{}")
    assert find("zoo:mine") == tmp_path / "zoo" / "mine"


@pytest.mark.parametrize(
    "name", ["zoo:", "zoo:concept", "zoo:../zoo/concepts", "zoo:.", "zoo:..", "zoo:/tmp"]
)
def test_a_name_that_is_nowhere_is_refused_with_those_there_are(name: str) -> None:
    with pytest.raises(UsageError, match=r"There is no model .* Known: .*zoo:concepts"):
        find(name)
