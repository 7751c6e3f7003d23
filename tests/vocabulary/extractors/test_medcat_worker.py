"""The program around MedCAT, with a stand-in for the library in the places its two releases use."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest
from extractor_samples import stand_in_package

from radcap.vocabulary.extractors.workers import medcat as worker

if TYPE_CHECKING:
    from pathlib import Path

CAT = """
    class CAT:
        @classmethod
        def load_model_pack(cls, path):
            if "bad" in path:
                raise MissingDependenciesError("pip install medcat[spacy]")
            if "broken" in path:
                raise OSError("half a file")
            return cls()

        def get_entities(self, text):
            if not text:
                return {}
            one = {"cui": "C0018787", "pretty_name": "Heart", "acc": 1, "start": 0, "end": 5}
            status = {"Status": {"value": "Affirmed", "confidence": 0.9, "name": "Status"}}
            return {"entities": {
                0: dict(one, type_ids={"T023"}, meta_anns=status),
                1: dict(one, tuis=["T024", "T023"], meta_anns=None),
            }, "tokens": []}

    class MissingDependenciesError(Exception):
        pass
"""


@pytest.mark.parametrize(
    ("version", "names", "missing"),
    [
        ("", [], ["medcat"]),
        ("1.16.12", [], []),
        ("1.16.12", ["cdb"], ["medcat 2"]),
        ("2.9.0", ["cdb"], []),
        ("2.9.0", ["vocab"], ["spacy"]),
        ("2.9.0", ["meta_Status"], ["spacy", "torch", "transformers"]),
    ],
)
def test_what_a_pack_needs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str, names: list[str], missing: list[str]
) -> None:
    if version:
        stand_in_package(monkeypatch, tmp_path, "medcat", {}, version)
    here = {"medcat"} if version else set()
    monkeypatch.setattr(worker, "find_spec", lambda name: find_spec(name) if name in here else None)
    assert worker.absent({"pack": "pack", "holds": names}) == missing


def test_entities_of_both_releases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in_package(monkeypatch, tmp_path, "medcat", {"cat.py": CAT}, "2.9.0")
    tool = worker.open_tool({"pack": "pack"})
    assert tool.about == {"name": "MedCAT", "version": "2.9.0", "notes": []}
    heart = {"start": 0, "end": 5, "id": "C0018787", "name": "Heart", "score": 1.0}
    assert tool.entities(["heart", ""]) == [
        [
            {**heart, "types": ["T023"], "meta": {"Status": "Affirmed"}},
            {**heart, "types": ["T023", "T024"], "meta": {}},
        ],
        [],
    ]


@pytest.mark.parametrize(("name", "error"), [("bad", ImportError), ("broken", OSError)])
def test_what_the_library_lacks_is_no_other_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, error: type[Exception]
) -> None:
    stand_in_package(monkeypatch, tmp_path, "medcat", {"cat.py": CAT}, "2.9.0")
    with pytest.raises(error, match=r"medcat\[spacy\]|half a file"):
        worker.open_tool({"pack": name})
