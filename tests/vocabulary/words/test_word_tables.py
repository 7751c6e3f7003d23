from __future__ import annotations

import re
from pathlib import Path

import pytest

from radcap.vocabulary import words
from radcap.vocabulary.words import data_file, digest, not_names, prefixes, tables


def test_prefixes_are_small_letters_in_order() -> None:
    listed = data_file("prefixes.txt").read_text("utf-8").split()
    assert listed == sorted(set(listed))
    assert prefixes() == frozenset(listed)
    assert all(one.isascii() and one.isalpha() and one.islower() for one in listed)


def test_the_digest_changes_with_every_table(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    names = ("not_names.csv", "plurals.csv", "prefixes.txt", "spelling.csv", "variants.csv")
    for name in names:
        (tmp_path / name).write_bytes(data_file(name).read_bytes())
    monkeypatch.setattr(tables, "data_file", tmp_path.joinpath)
    make = digest.__wrapped__
    assert make() == digest()
    seen = {digest()}
    for name in names:
        with (tmp_path / name).open("a", encoding="utf-8") as file:
            file.write("x,y,z\n")
        seen.add(make())
    monkeypatch.setattr(tables, "_FORM", 0)
    seen.add(make())
    assert len(seen) == len(names) + 2
    assert all(re.fullmatch("[0-9a-f]{16}", one) for one in seen)


def test_words_that_are_no_names_have_a_reason() -> None:
    listed = tables.read_pairs("not_names.csv")
    assert not_names() == frozenset(listed)
    assert all(listed.values())


def test_everything_public_is_there() -> None:
    assert words.__all__ == sorted(words.__all__)
    assert all(hasattr(words, name) for name in words.__all__)
