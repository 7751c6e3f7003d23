"""Concepts on a terminal: many in a table, one in detail, dashes for what nobody knows."""

from __future__ import annotations

from concept_samples import CT, EFFUSION, PNEUMONIA, UNKNOWN, chest_dataset, chest_vocabulary
from dataset_samples import dataset_of, row

from radcap.datasets.concepts import concept_figures, concept_tables
from radcap.report import Table

VOCABULARY = chest_vocabulary()


def tables(*cuis: str) -> dict[str, Table]:
    found = concept_tables(concept_figures(chest_dataset(), cuis, VOCABULARY))
    return {table.title: table for table in found}


def facts_of(table: Table) -> dict[str, str]:
    return {cells[0]: cells[1] for cells in table.rows}


def test_many_concepts_are_rows_of_one_table() -> None:
    (table,) = tables().values()
    assert table.title == "5 of 5 concepts on 8 images"
    rows = {cells[0]: cells[1:] for cells in table.rows}
    assert rows[EFFUSION] == ("Pleural effusion", "Disease or Syndrome", "4", "50.0 %", "-")
    assert rows[UNKNOWN] == ("-", "-", "1", "12.5 %", "-")


def test_what_goes_together_stands_in_the_row() -> None:
    rows = [row(f"i{n}", cui=[CT, EFFUSION] if n < 9 else [PNEUMONIA]) for n in range(40)]
    (table,) = concept_tables(concept_figures(dataset_of(rows, {}), vocabulary=VOCABULARY))
    assert {cells[0]: cells[-1] for cells in table.rows} == {
        PNEUMONIA: "-",
        EFFUSION: "CT \u00d74.4",
        CT: "Pleural effusion \u00d74.4",
    }


def test_one_concept_is_told_in_full() -> None:
    found = tables(EFFUSION)
    facts = facts_of(found[""])
    assert facts["also called"] == "hydrothorax; shadow"
    assert facts["above"] == facts["below"] == "-"
    assert facts["share"] == "50.0 % (95 %: 21.5 % to 78.5 %)"
    assert facts["rank"] == "1 of 5 concepts"
    assert found["By split"].rows == (
        ("train", "3", "3", "100.0 %"),
        ("valid", "0", "2", "0.0 %"),
        ("test", "1", "3", "33.3 %"),
    )
    assert [cells[0] for cells in found["By modality"].rows] == ["unknown", "X-ray computed tomography"]
    assert found["In the captions of 6 images"].rows == (
        ("labelled, and mentioned", "1"),
        ("labelled, not mentioned", "1"),
        ("labelled, though denied", "1"),
        ("mentioned, not labelled", "1"),
        ("denied, and not labelled", "1"),
    )
    beside = found["Most often on the same image"].rows
    assert beside[0] == (CT, "CT", "3", "75.0 %", "2.00", "\u00d71.5", "+0.58", "2.1", "0.4439")
    assert "More often on the same image than chance has it, surest first" not in found


def test_relatives_have_their_cuis() -> None:
    assert facts_of(tables(PNEUMONIA)[""])["below"] == "Viral pneumonia (C0032310)"


def test_an_unknown_concept_has_dashes_and_no_captions() -> None:
    found = tables(UNKNOWN)
    facts = facts_of(found[""])
    assert [facts[name] for name in ("name", "also called", "types", "above", "below")] == ["-"] * 5
    assert not any(title.startswith("In the captions") for title in found)
