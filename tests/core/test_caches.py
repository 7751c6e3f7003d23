from __future__ import annotations

from pathlib import Path

import pytest

from radcap.core import cache_root


@pytest.mark.parametrize(
    ("platform", "environment", "expected"),
    [
        ("linux", {"RADCAP_CACHE": "/x"}, "/x"),
        ("linux", {"XDG_CACHE_HOME": "/c"}, "/c/radcap"),
        ("linux", {"XDG_CACHE_HOME": ""}, "{home}/.cache/radcap"),
        ("linux", {"RADCAP_CACHE": ""}, "{home}/.cache/radcap"),
        ("darwin", {"XDG_CACHE_HOME": "/c"}, "{home}/Library/Caches/radcap"),
        ("win32", {"LOCALAPPDATA": "/l"}, "/l/radcap/cache"),
        ("win32", {}, "{home}/AppData/Local/radcap/cache"),
    ],
)
def test_the_cache_lies_where_the_system_keeps_caches(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, platform: str, environment: dict[str, str], expected: str
) -> None:
    for name in ("RADCAP_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("sys.platform", platform)
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    assert cache_root() == Path(expected.format(home=tmp_path))


def test_asking_makes_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RADCAP_CACHE", str(tmp_path / "cache"))
    assert not cache_root().exists()
