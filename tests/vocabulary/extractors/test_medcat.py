"""MedCAT behind a tool that answers in its place; `test_real_medcat` has the library itself."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from extractor_samples import tiny_vocabulary, write_tool

from radcap.core import InputError, Missing
from radcap.vocabulary.extractors import medcat as plug_in
from radcap.vocabulary.extractors import open_extractor
from radcap.vocabulary.extractors.entities import Entity
from radcap.vocabulary.extractors.isolated import Tool

if TYPE_CHECKING:
    from collections.abc import Sequence

HEART = """
    return [
        [{"start": 3, "end": 8, "id": "80891009", "name": self.options["pack"], "score": 0.9,
          "meta": {"Time": "Recent"}}]
        for text in texts
    ]
"""


@pytest.fixture
def told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tool = write_tool(tmp_path, HEART)
    monkeypatch.setattr(plug_in, "_TOOL", Tool("MedCAT", tool.file, plug_in._TOOL.absent))
    monkeypatch.setenv("RADCAP_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    folder = tmp_path / "pack"
    folder.mkdir()
    (folder / "cdb.dat").write_bytes(b"concepts")
    return folder


def zipped(folder: Path, name: str, below: str = "") -> Path:
    path = folder.parent / name
    with zipfile.ZipFile(path, "w") as file:
        file.write(folder / "cdb.dat", f"{below}cdb.dat")
    return path


def link(pack: Path, text: str = "no heart", **options: str) -> Any:
    with open_extractor("medcat", [tiny_vocabulary()], {"pack": str(pack), **options}) as extractor:
        ((found,),) = extractor.extract([text])
    return found


@pytest.mark.usefixtures("told")
def test_a_pack_in_a_folder(pack: Path) -> None:
    found = link(pack)
    assert (found.cui, found.name, found.score) == ("C0018787", "Heart", 0.9)
    assert (found.negated, found.uncertain, found.why) == (True, False, "Told 1")


@pytest.mark.usefixtures("told")
@pytest.mark.parametrize("below", ["", "pack-2025/"])
def test_a_packed_file_is_unpacked_once_into_the_cache(pack: Path, tmp_path: Path, below: str) -> None:
    packed = zipped(pack, "umls.zip", below)
    for _ in range(2):
        with open_extractor("medcat", [], {"pack": str(packed)}) as extractor:
            ((found,),) = extractor.extract(["no heart"])
            opened = Path(found.name)
            assert opened.is_relative_to(tmp_path / "cache" / "medcat")
            assert (opened / "cdb.dat").read_bytes() == b"concepts"
    assert sorted(one.name for one in tmp_path.iterdir()) == ["cache", "pack", "told_tool.py", "umls.zip"]
    assert len(list((tmp_path / "cache" / "medcat").iterdir())) == 1


@pytest.mark.usefixtures("told")
def test_another_state_of_the_file_is_unpacked_anew(pack: Path, tmp_path: Path) -> None:
    packed = zipped(pack, "umls.zip")
    link(packed)
    (pack / "cdb.dat").write_bytes(b"more concepts")
    link(zipped(pack, "umls.zip"))
    assert len(list((tmp_path / "cache" / "medcat").iterdir())) == 2


@pytest.mark.usefixtures("told")
def test_a_name_that_leads_out_of_the_folder_stays_inside(pack: Path, tmp_path: Path) -> None:
    packed = zipped(pack, "umls.zip")
    with zipfile.ZipFile(packed, "a") as file:
        file.writestr("../../escaped", "x")
    link(packed)
    (escaped,) = tmp_path.rglob("escaped")
    assert escaped.is_relative_to(tmp_path / "cache" / "medcat")
    assert escaped.parent.parent.name == "medcat"


@pytest.mark.usefixtures("told")
def test_what_is_no_pack_is_refused(tmp_path: Path) -> None:
    odd = tmp_path / "odd.zip"
    odd.write_bytes(b"PK no zip")
    for ask in (lambda: link(odd), lambda: plug_in.check_medcat({"pack": str(odd)})):
        with pytest.raises(InputError, match="is no zip file that can be read"):
            ask()
    empty = tmp_path / "empty"
    (empty / "inner").mkdir(parents=True)
    with pytest.raises(InputError, match=r"holds neither cdb\.dat nor cdb.*UMLS"):
        link(empty)


@pytest.mark.usefixtures("told")
def test_another_process_may_unpack_it_meanwhile(
    pack: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed = zipped(pack, "umls.zip")
    extract = zipfile.ZipFile.extractall

    def slowly(file: zipfile.ZipFile, path: str) -> None:
        extract(file, path)
        extract(file, plug_in._unpacked(packed))  # what the other one does

    monkeypatch.setattr(zipfile.ZipFile, "extractall", slowly)
    assert link(packed).cui == "C0018787"
    assert len(list((tmp_path / "cache" / "medcat").iterdir())) == 1


@pytest.mark.usefixtures("told")
def test_a_cache_that_cannot_be_written_is_said(
    pack: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("RADCAP_CACHE", str(tmp_path / "file"))
    with pytest.raises(InputError, match=r"cannot be unpacked into .*Unpack it yourself"):
        link(zipped(pack, "umls.zip"))


@pytest.mark.parametrize(
    ("given", "why"), [({}, "without one"), ({"pack": "no/such"}, "There is nothing at")]
)
def test_a_pack_that_is_not_there_is_missing(given: dict[str, str], why: str) -> None:
    for ask in (lambda: open_extractor("medcat", [], given), lambda: plug_in.check_medcat(given)):
        with pytest.raises(Missing, match=why) as missing:
            ask()
        assert "UMLS or SNOMED CT licence" in missing.value.how


@pytest.mark.parametrize(
    ("names", "what", "how"),
    [
        (["medcat"], "MedCAT", "pip install medcat"),
        (["medcat 2"], "MedCAT 2", "pip install 'medcat>=2'"),
        (["spacy"], "spacy", "'medcat[spacy]'"),
        (["spacy", "torch", "transformers"], "spacy and torch and transformers", "'medcat[spacy,meta-cat]'"),
        (["ImportError: the set 'deid'."], "ImportError: the set 'deid'", "'medcat[spacy,meta-cat]'"),
    ],
)
def test_a_library_that_lacks_something_says_how_to_get_it(names: Sequence[str], what: str, how: str) -> None:
    missing = plug_in._absent(names, Path("envs/python"))
    assert missing.what == what
    assert how in missing.how


def test_this_environment_has_no_medcat(pack: Path) -> None:
    packed = zipped(pack, "umls.zip")
    for path in (pack, packed):
        with pytest.raises(Missing, match=r"^MedCAT is missing\. .* has no package medcat"):
            plug_in.check_medcat({"pack": str(path)})
    with pytest.raises(Missing, match=r"^MedCAT is missing"):
        link(pack)


@pytest.mark.parametrize("below", ["", "pack-2025/"])
def test_a_check_looks_into_the_pack_without_unpacking_it(
    pack: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, below: str
) -> None:
    tool = write_tool(tmp_path, "return []", absent="[] if 'cdb.dat' in options['holds'] else ['medcat 2']")
    monkeypatch.setattr(plug_in, "_TOOL", Tool("MedCAT", tool.file, plug_in._absent))
    monkeypatch.setenv("RADCAP_CACHE", str(tmp_path / "cache"))
    for path in (pack, zipped(pack, "umls.zip", below)):
        plug_in.check_medcat({"pack": str(path)})
    plug_in.check_medcat({"pack": str(tmp_path)})  # one folder that holds it
    (pack / "cdb.dat").rename(pack / "cdb")
    with pytest.raises(Missing, match="made by MedCAT 2"):
        plug_in.check_medcat({"pack": str(pack)})
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize(
    ("meta", "expected"),
    [
        ((), (True, True)),
        ((("Time", "Recent"), ("Subject", "Patient")), (True, True)),
        ((("Presence", "True"),), (False, False)),
        ((("Presence", "False"),), (True, False)),
        ((("Presence", "Not present (False)"),), (True, False)),
        ((("presence", "Hypothetical (N/A)"),), (False, True)),
        ((("Status", "Affirmed"),), (False, False)),
        ((("Status", "Other"),), (False, True)),
        ((("Negation", "Negated"), ("Time", "Past")), (True, False)),
    ],
)
def test_what_the_pack_says_wins_over_our_rules(
    meta: tuple[tuple[str, str], ...], expected: tuple[bool, bool]
) -> None:
    assert plug_in._marked(Entity(0, 1, meta=meta), (True, True)) == expected
