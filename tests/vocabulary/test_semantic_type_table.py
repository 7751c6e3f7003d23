"""The table of semantic types, the types of the label sets, and the script that infers some of them."""

from __future__ import annotations

import csv
import gzip
import importlib.util
import re
import runpy
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from radcap.core import CUI_SETS

ROOT = Path(__file__).parents[2]
TYPES = ROOT / "src/radcap/data/vocabulary/semantic_types.csv"
LABELS = ROOT / "scripts/vocabulary/label_types.csv"
SCRIPT = ROOT / "scripts/vocabulary/infer_types.py"
DATASET_CUIS = ROOT / "src/radcap/data/radiology_open/cui_mapping.csv"

# The types that the captions of ROCO v1 carry, as that dataset names them.
SEEN_IN_ROCO = {
    "T019": "Congenital Abnormality",
    "T023": "Body Part, Organ, or Organ Component",
    "T029": "Body Location or Region",
    "T031": "Body Substance",
    "T033": "Finding",
    "T034": "Laboratory or Test Result",
    "T037": "Injury or Poisoning",
    "T039": "Physiologic Function",
    "T040": "Organism Function",
    "T041": "Mental Process",
    "T046": "Pathologic Function",
    "T047": "Disease or Syndrome",
    "T048": "Mental or Behavioral Dysfunction",
    "T058": "Health Care Activity",
    "T059": "Laboratory Procedure",
    "T060": "Diagnostic Procedure",
    "T061": "Therapeutic or Preventive Procedure",
    "T063": "Molecular Biology Research Technique",
    "T065": "Educational Activity",
    "T073": "Manufactured Object",
    "T074": "Medical Device",
    "T081": "Quantitative Concept",
    "T109": "Organic Chemical",
    "T114": "Nucleic Acid, Nucleoside, or Nucleotide",
    "T116": "Amino Acid, Peptide, or Protein",
    "T121": "Pharmacologic Substance",
    "T122": "Biomedical or Dental Material",
    "T123": "Biologically Active Substance",
    "T125": "Hormone",
    "T126": "Enzyme",
    "T127": "Vitamin",
    "T129": "Immunologic Factor",
    "T130": "Indicator, Reagent, or Diagnostic Aid",
    "T131": "Hazardous or Poisonous Substance",
    "T170": "Intellectual Product",
    "T184": "Sign or Symptom",
    "T191": "Neoplastic Process",
    "T195": "Antibiotic",
    "T196": "Element, Ion, or Isotope",
    "T197": "Inorganic Chemical",
    "T200": "Clinical Drug",
    "T201": "Clinical Attribute",
}

# The ten most frequent types of ROCOv2 (the table of its paper) beyond those of ROCO v1.
SEEN_IN_ROCOV2 = {
    "T030": "Body Space or Junction",
    "T080": "Qualitative Concept",
    "T082": "Spatial Concept",
}

GROUP_SIZES = {
    "Activities & Behaviors": 9,
    "Anatomy": 11,
    "Chemicals & Drugs": 20,
    "Concepts & Ideas": 12,
    "Devices": 3,
    "Disorders": 12,
    "Genes & Molecular Sequences": 5,
    "Geographic Areas": 1,
    "Living Beings": 21,
    "Objects": 5,
    "Occupations": 2,
    "Organizations": 4,
    "Phenomena": 6,
    "Physiology": 9,
    "Procedures": 7,
}

DROPPED_BY_MEDCON = {
    "Procedures",
    "Organizations",
    "Occupations",
    "Living Beings",
    "Objects",
    "Geographic Areas",
    "Concepts & Ideas",
    "Activities & Behaviors",
}


@cache
def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@cache
def infer_types() -> ModuleType:
    spec = importlib.util.spec_from_file_location("infer_types", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where a dataclass looks for the names of its annotations
    spec.loader.exec_module(module)
    return module


class TestSemanticTypes:
    def test_has_the_127_types_once_and_in_order(self):
        tuis = [row["TUI"] for row in rows(TYPES)]
        assert len(tuis) == 127
        assert tuis == sorted(set(tuis))
        assert all(re.fullmatch(r"T\d{3}", tui) for tui in tuis)

    def test_columns(self):
        assert list(rows(TYPES)[0]) == ["TUI", "abbreviation", "name", "group", "group_name"]
        assert all(cell and cell == cell.strip() for row in rows(TYPES) for cell in row.values())

    @pytest.mark.parametrize("column", ["abbreviation", "name"])
    def test_no_two_types_share(self, column: str):
        assert len({row[column] for row in rows(TYPES)}) == 127

    def test_abbreviations_and_groups_have_four_letters(self):
        assert all(re.fullmatch(r"[a-z]{4}", row["abbreviation"]) for row in rows(TYPES))
        assert all(re.fullmatch(r"[A-Z]{4}", row["group"]) for row in rows(TYPES))

    def test_group_sizes(self):
        assert Counter(row["group_name"] for row in rows(TYPES)) == GROUP_SIZES
        assert len({(row["group"], row["group_name"]) for row in rows(TYPES)}) == len(GROUP_SIZES)

    @pytest.mark.parametrize(("tui", "name"), (SEEN_IN_ROCO | SEEN_IN_ROCOV2).items())
    def test_names_are_those_of_published_datasets(self, tui: str, name: str):
        assert next(row["name"] for row in rows(TYPES) if row["TUI"] == tui) == name

    def test_medcon_keeps_66(self):
        assert sum(row["group_name"] not in DROPPED_BY_MEDCON for row in rows(TYPES)) == 66


class TestLabelTypes:
    def test_columns(self):
        assert list(rows(LABELS)[0]) == ["CUI", "TUI", "evidence"]

    def test_cuis_are_well_formed_sorted_and_unique(self):
        cuis = [row["CUI"] for row in rows(LABELS)]
        assert all(re.fullmatch(r"C\d{7}", cui) for cui in cuis)
        assert cuis == sorted(set(cuis))

    def test_types_are_known_sorted_and_unique(self):
        known = {row["TUI"] for row in rows(TYPES)}
        for row in rows(LABELS):
            tuis = row["TUI"].split(";")
            assert set(tuis) <= known, row
            assert tuis == sorted(set(tuis)), row

    def test_evidence(self):
        counts = Counter(row["evidence"] for row in rows(LABELS))
        assert counts == {"inferred": 452, "assigned": 2135}  # the figures that README.md states

    def test_covers_the_label_sets_that_ship(self):
        typed = {row["CUI"] for row in rows(LABELS)}
        assert {row["CUI"] for row in rows(DATASET_CUIS)} <= typed
        assert set().union(*(cui_set.cuis for cui_set in CUI_SETS.values())) <= typed

    @pytest.mark.parametrize(
        ("cui", "tui"),
        [
            ("C0040405", "T060"),  # X-Ray Computed Tomography
            ("C0817096", "T029"),  # Chest
            ("C0226092", "T023"),  # Structure of left external carotid artery
            ("C4551691", "T047"),  # Urethral stricture
            ("C0027651", "T191"),  # Neoplasms
            ("C0038257", "T074"),  # Stent, device
            ("C0205129", "T082"),  # Sagittal
            ("C0022745", "T030"),  # Knee joint
        ],
    )
    def test_samples(self, cui: str, tui: str):
        assert next(row["TUI"] for row in rows(LABELS) if row["CUI"] == cui) == tui


CUIS = ("C0000001", "C0000002", "C0000003", "C0000004")
TUIS = ("T023", "T029", "T047", "T060")


class TestInfer:
    @pytest.mark.parametrize(
        ("captions", "proven", "possible"),
        [
            ([("a", "1")], {"a": "1"}, {"a": "1"}),
            ([("a", "12"), ("a", "13")], {"a": "1"}, {"a": "1"}),  # the intersection
            ([("ab", "12"), ("a", "1")], {"a": "1", "b": "2"}, {"a": "1", "b": "12"}),  # b must bring 2
            ([("ab", "12")], {"a": "", "b": ""}, {"a": "12", "b": "12"}),
            ([("a", "12")], {"a": "12"}, {"a": "12"}),  # two types, no other concept
            ([("a", "1"), ("a", "2")], {"a": ""}, {"a": ""}),  # contradicts itself
            ([("", "1")], {}, {}),  # a type without a concept says nothing
        ],
    )
    def test_bounds(self, captions: list[tuple[str, str]], proven: dict, possible: dict):
        script = infer_types()
        found = script.infer(script.Caption(frozenset(cuis), frozenset(types)) for cuis, types in captions)
        assert {cui: "".join(sorted(bound.proven)) for cui, bound in found.items()} == proven
        assert {cui: "".join(sorted(bound.possible)) for cui, bound in found.items()} == possible

    @given(
        truth=st.fixed_dictionaries({cui: st.frozensets(st.sampled_from(TUIS), min_size=1) for cui in CUIS}),
        sets=st.lists(st.frozensets(st.sampled_from(CUIS)), max_size=12),
    )
    def test_the_truth_lies_between_proven_and_possible(self, truth: dict, sets: list[frozenset[str]]):
        script = infer_types()
        captions = [script.Caption(cuis, frozenset().union(*(truth[cui] for cui in cuis))) for cuis in sets]
        for cui, bound in script.infer(captions).items():
            assert bound.proven <= truth[cui] <= bound.possible
            assert bound.captions == sum(cui in cuis for cuis in sets)


ROCO = "ID,CUIs,semtypes\n1,C0000001;C0000002,T023;T047\n2,C0000001,T023\n3,,\n4,C0000003,T060;\n"


class TestScript:
    def test_writes_bounds(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
        roco = tmp_path / "roco.csv.gz"
        roco.write_bytes(gzip.compress(ROCO.encode("utf-8-sig")))
        infer_types().main([str(roco), str(tmp_path / "out.csv")])
        assert (tmp_path / "out.csv").read_text("utf-8") == (
            "CUI,proven,possible,captions\n"
            "C0000001,T023,T023,2\n"
            "C0000002,T047,T023;T047,1\n"
            "C0000003,T060,T060,1\n"
        )
        assert capsys.readouterr().out == (
            "3 CUIs, 3 with a proven type\n0 CUIs contradict themselves: none\n"
        )

    def test_keeps_the_labels_asked_for(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
        roco, labels, more = tmp_path / "roco.csv", tmp_path / "labels.csv", tmp_path / "more.csv"
        roco.write_text(ROCO, "utf-8")
        labels.write_text("CUI,Name\nC0000002,b\n", "utf-8")
        more.write_text('CUI,Name\nC0000003,"c, d"\nC0000009,e\n', "utf-8")
        infer_types().main([str(roco), str(tmp_path / "out.csv"), "--labels", str(labels), str(more)])
        assert capsys.readouterr().out.startswith("2 CUIs, 2 with a proven type\n")
        assert [row["CUI"] for row in rows(tmp_path / "out.csv")] == ["C0000002", "C0000003"]

    def test_compares(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
        roco, table = tmp_path / "roco.csv", tmp_path / "table.csv"
        roco.write_text(ROCO + "5,C0000004,T060\n6,C0000004,T023\n", "utf-8")
        table.write_text("CUI,TUI\nC0000001,T023\nC0000002,T023\nC0000003,T061\nC0000008,T001\n", "utf-8")
        infer_types().main([str(roco), str(tmp_path / "out.csv"), "--compare", str(table)])
        assert capsys.readouterr().out.splitlines()[1:] == [
            "1 CUIs contradict themselves: C0000004",
            "1 of 3 CUIs have exactly their proven types",
            "  T023 where T047 is proven: 1",
            "  T061 where T060 is proven: 1",
            "1 CUIs have a type that is not possible: C0000003",
        ]

    @pytest.mark.parametrize("text", ["", "ID,CUIs\n1,C0000001\n"])
    def test_refuses_a_file_without_its_columns(self, tmp_path: Path, text: str):
        roco = tmp_path / "roco.csv"
        roco.write_text(text, "utf-8")
        with pytest.raises(SystemExit, match=r"no column .*semtypes"):
            infer_types().main([str(roco), str(tmp_path / "out.csv")])

    def test_runs_as_a_command(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
        monkeypatch.setattr(sys, "argv", [str(SCRIPT), "--help"])
        with pytest.raises(SystemExit, match="0"):
            runpy.run_path(str(SCRIPT), run_name="__main__")
        assert "--compare" in capsys.readouterr().out
