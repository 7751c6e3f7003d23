"""Ensembles that would be a part of themselves, and member files that cannot be had."""

from __future__ import annotations

from pathlib import Path

import pytest

from radcap.core import InputError
from radcap.systems import catalogue
from radcap.systems.catalogue import read_system

HEAD = 'name = "{}"\ntask = "concepts"\n'


def written(folder: Path, name: str, *members: str, more: str = "") -> str:
    text = HEAD.format(name) + more + "".join(f'[[member]]\nfile = "{one}"\n' for one in members)
    path = folder / f"{name}.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return str(path)


def codes(path: str) -> list[str]:
    with pytest.raises(InputError) as caught:
        read_system(path)
    return [f"{one.code} {one.message}" for one in caught.value.issues]


BACK = "which leads back to this file. An ensemble cannot be a part of itself."


def test_a_file_that_names_itself_is_refused(tmp_path: Path) -> None:
    assert codes(written(tmp_path, "a", "a.toml")) == [f"SYS304 Member 1 is 'a.toml', {BACK}"]
    other = written(tmp_path, "b", "../" + tmp_path.name + "/b.toml")  # by another path
    assert codes(other) == [f"SYS304 Member 1 is '../{tmp_path.name}/b.toml', {BACK}"]


def test_a_file_that_leads_back_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, "a", "plain.toml", "deep/b.toml")
    written(tmp_path, "plain")
    written(tmp_path / "deep", "b", "c.toml")
    written(tmp_path / "deep", "c", "missing.toml", "b.toml", "../a.toml")
    assert codes(path) == [f"SYS304 Member 2 is 'deep/b.toml', {BACK}"]


def test_members_that_lead_elsewhere_are_only_too_deep(tmp_path: Path) -> None:
    path = written(tmp_path, "a", "b.toml")
    written(tmp_path, "b", "b.toml", more="[train]\nepochs = 1\n")
    assert codes(path) == [
        "SYS303 Member 1 is 'b.toml', which has members itself. One level of them is read."
    ]
    text = (tmp_path / "b.toml").read_text()
    (tmp_path / "b.toml").write_text(text.replace('file = "b.toml"', "seed = 1"))
    assert codes(path)[0].startswith("SYS303")


def test_a_system_of_the_catalogue_leads_nowhere_back(tmp_path: Path) -> None:
    name = next(one.name for one in catalogue.systems_of("concepts") if getattr(one, "member", ()))
    path = written(tmp_path, "a", _name_of(name))
    assert codes(path)[0].startswith("SYS303")


def _name_of(name: str) -> str:
    return next(one for one in catalogue.system_names() if read_system(one).name == name)


def test_files_that_are_missing_or_of_another_task_are_named(tmp_path: Path) -> None:
    (tmp_path / "words.toml").write_text('name = "w"\ntask = "captions"\n')
    path = written(tmp_path, "a", "missing.toml", "words.toml", "2025/no-such")
    found = codes(path)
    assert len(found) == 3
    assert found[0].startswith("SYS302 Member 1 cannot be had: missing.toml cannot be used")
    assert found[1] == (
        "SYS302 Member 2 cannot be had: words.toml is a system of the task captions. "
        "A concept system is wanted here."
    )
    assert "There is no system '2025/no-such'" in found[2]
