"""The page about concepts: one safe file of bounded size, everything linked and named."""

from __future__ import annotations

import re
from importlib.resources import files

import numpy as np
import pytest
from concept_samples import (
    CT,
    EFFUSION,
    LUNG,
    PNEUMONIA,
    UNKNOWN,
    chest_dataset,
    chest_vocabulary,
)
from dataset_samples import dataset_of, noise, png, row
from safe_pages import HOSTILE, Tags, safe
from vocabulary_samples import draft_of, vocabulary_of

from radcap.datasets import Card, Dataset
from radcap.datasets.concepts import concept_page, page, read_concepts
from radcap.datasets.concepts.anchors import Anchors
from radcap.datasets.concepts.figures import Named
from radcap.datasets.concepts.index import index_codes
from radcap.datasets.concepts.labelling import Labelling

VOCABULARY = chest_vocabulary()
STYLE = files("radcap.datasets.concepts").joinpath("page.css").read_text("utf-8")
PAGE_STYLE = files("radcap.report").joinpath("page.css").read_text("utf-8")


def linked(text: str) -> Tags:
    """Safe, and every link leads to one place."""
    found = safe(text)
    ids = [one["id"] for _, one in found.tags if "id" in one]
    assert len(ids) == len(set(ids))
    assert {(one["href"] or "")[1:] for one in found.named("a")} <= set(ids)
    return found


def paged(dataset: Dataset, *cuis: str, top: int = 50) -> str:
    return concept_page(read_concepts(dataset, cuis, VOCABULARY, top=top)).text


def section_of(text: str, cui: str) -> str:
    return text.partition(f'<h2 id="{cui}">')[2].partition("</section>")[0]


def test_the_page_is_one_safe_file_with_a_section_for_each_concept() -> None:
    made = concept_page(read_concepts(chest_dataset(), vocabulary=VOCABULARY))
    found = linked(made.text)
    assert (made.sections, made.wanted, made.told) == (5, 5, "5 concepts")
    headings = [one["id"] for one in found.named("h2")]
    assert headings == ["concepts", EFFUSION, CT, LUNG, PNEUMONIA, UNKNOWN, "method"]
    assert all(one["alt"] for one in found.named("img"))
    assert made.text == paged(chest_dataset())


def test_a_section_tells_what_a_concept_is() -> None:
    made = section_of(paged(chest_dataset()), PNEUMONIA)
    assert "<dt>Type</dt><dd>Disease or Syndrome</dd>" in made
    assert "<dt>Also called</dt><dd>shadow</dd>" in made
    assert '<dt>Below</dt><dd><span title="C0032310">Viral pneumonia</span></dd>' in made
    assert "<dt>Above</dt>" not in made


def test_relatives_that_the_page_has_are_links() -> None:
    dataset = dataset_of([row("a", cui=[PNEUMONIA, "C0032310"])], {})
    made = section_of(paged(dataset), "C0032310")
    assert f'<dt>Above</dt><dd><a href="#{PNEUMONIA}" title="{PNEUMONIA}">Pneumonia</a></dd>' in made


def test_a_concept_without_words_has_dashes_and_its_cui_for_a_name() -> None:
    made = paged(chest_dataset())
    assert f"A concept without a name <code>{UNKNOWN}</code>" in section_of(made, UNKNOWN)
    assert "<dt>Type</dt><dd>-</dd>" in section_of(made, UNKNOWN)
    told = (
        f'<a href="#{UNKNOWN}"><code>{UNKNOWN}</code></a></th><td class="name">-</td><td class="type">-</td>'
    )
    assert told in made
    assert f'<a href="#{UNKNOWN}" title="{UNKNOWN}">{UNKNOWN}</a>' in section_of(made, CT)


def test_modalities_are_drawn_where_there_are_any() -> None:
    rows = [row(f"i{n}", cui=[CT], modality=kind) for n, kind in enumerate(["DRCT", "DRMR", ""])]
    assert "Share of each modality" in section_of(paged(dataset_of(rows, {})), CT)
    assert "Share of each modality" not in section_of(paged(dataset_of([row("a", cui=[CT])], {})), CT)


def test_shares_companions_and_captions_are_drawn() -> None:
    made = section_of(paged(chest_dataset()), EFFUSION)
    assert "<title>valid: 0 \u00b7 0.0 %</title>" in made
    assert "<title>CT: 3 \u00b7 75.0 %</title>" in made
    assert "None stands there more often than chance has it." in made
    assert "Of 6 images with a caption: 1 labelled, and mentioned; 1 labelled, not mentioned;" in made
    assert "CT with <mark>pleural effusion</mark>." in made
    assert '<mark><span class="said">(denied) </span>pleural effusion</mark>' in made
    assert "A <mark>hydrothorax</mark>, and viral pneumonia." in made
    assert "CC0 1.0. radcap tests" in made


def test_what_goes_together_beyond_chance_is_drawn_with_its_lift() -> None:
    rows = [row(f"i{n}", cui=[CT, EFFUSION] if n < 9 else [LUNG]) for n in range(40)]
    made = section_of(paged(dataset_of(rows, {})), EFFUSION)
    assert "<title>CT: 9 \u00b7 \u00d74.4</title>" in made


def test_a_concept_alone_on_its_images_says_so() -> None:
    made = paged(dataset_of([row("a", cui=[CT]), row("b", cui=[LUNG])], {}))
    assert "No other concept stands on its images." in section_of(made, CT)


def test_a_dataset_without_images_or_captions_says_so() -> None:
    dataset = Dataset("bare", dataset_of([row("a", cui=[CT]), row("b")]).table)
    made = paged(dataset)
    assert not linked(made).named("img")
    assert "No image of it is at hand." in section_of(made, CT)
    assert "There are no captions of authors" in made
    assert "1 concept on 2 images." in made


def test_captions_about_other_things_are_told_in_a_sentence() -> None:
    dataset = dataset_of([row("a", cui=[CT]), row("b", captions="Nothing.")], {})
    told = "No caption mentions it, and no image of it has a caption."
    assert told in section_of(paged(dataset), CT)


def test_a_broken_image_gives_the_reason() -> None:
    dataset = dataset_of([row("a", cui=[CT])], {"a.png": b"no picture"})
    assert "no picture (IMG" in section_of(paged(dataset), CT)


def test_an_image_without_a_licence_says_so() -> None:
    dataset = dataset_of([row("a", cui=[CT], licence="", attribution="")])
    assert "licence not stated. " in section_of(paged(dataset), CT)


def test_the_list_has_every_concept_and_the_anchor_of_those_without_a_section() -> None:
    made = paged(chest_dataset(), EFFUSION)
    found = linked(made)
    rows = [one.get("id") for one in found.named("tr")[1:]]
    assert rows == [None, CT, LUNG, PNEUMONIA, UNKNOWN]
    assert f'href="#{CT}"' in section_of(made, EFFUSION)
    assert "1 of 5 concepts are told of in detail." in made


def test_the_list_can_be_narrowed_by_kind() -> None:
    made = paged(chest_dataset())
    found = linked(made)
    labels = re.findall(r'<label for="(f0-\w+)">([^<]+) <small>(\d+)</small>', made)
    kinds = {"all": "5", "Disorders": "2", "Anatomy": "1", "Procedures": "1", "type not known": "1"}
    assert {name: n for _, name, n in labels} == kinds
    classes = [one["class"] for one in found.named("tr")[1:]]
    for key, name, n in labels[1:]:
        assert classes.count(key) == int(n), name
        assert f"#{key}:checked) .index tbody tr:not(.{key}) {{ display: none; }}" in made


def test_one_kind_is_no_choice() -> None:
    assert "<legend>" not in paged(dataset_of([row("a", cui=[CT])], {}))


def test_many_relatives_and_synonyms_are_counted() -> None:
    children = [f"C{n:07d}" for n in range(1, 21)]
    names = {CT: [f"name {n}" for n in range(20)], **{cui: [f"child {cui}"] for cui in children}}
    vocabulary = vocabulary_of(draft_of(names, parents=[(cui, CT) for cui in children]))
    dataset = dataset_of([row("a", cui=[CT, children[-1]])], {})
    made = section_of(concept_page(read_concepts(dataset, [CT], vocabulary)).text, CT)
    assert "name 7; 12 more</dd>" in made
    below = made.partition("<dt>Below</dt>")[2].partition("</dd>")[0]
    assert below.index(children[-1]) < below.index(children[0])
    assert below.endswith("; 12 more")


def test_what_does_not_fit_is_left_out_and_told() -> None:
    noisy = png(np.random.default_rng(0).integers(0, 256, (300, 400), np.uint8))
    cuis = [f"C{n:07d}" for n in range(12)]
    dataset = dataset_of([row(f"i{n}", image="a.png", cui=cuis) for n in range(8)], {"a.png": noisy})
    read = read_concepts(dataset, vocabulary=VOCABULARY)
    whole = concept_page(read)
    half = concept_page(read, limit=len(whole.text) // 2)
    assert len(half.text.encode()) <= len(whole.text) // 2
    assert 0 < half.sections < whole.sections == 12
    assert half.told == f"{half.sections} of 12 concepts, as many as fit into 10 MB"
    assert f"{12 - half.sections} more did not fit into 10 MB." in half.text
    assert [one.get("id") for one in linked(half.text).named("tr")[1:]].count(None) == half.sections
    assert concept_page(read, limit=0).sections == 0


def test_a_long_list_is_cut_and_keeps_what_was_asked_for() -> None:
    rows = [row("a", cui=[f"C{n:07d}" for n in range(9)]), row("b", cui=["C0000003"])]
    labelling = Labelling(dataset_of(rows, {}), VOCABULARY)
    assert index_codes(labelling, [8], most=3) == (3, 0, 1, 8)


def test_rarer_concepts_that_the_list_lacks_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "index_codes", lambda labelling, detailed: index_codes(labelling, detailed, 2))
    made = paged(chest_dataset(), UNKNOWN)
    assert "2 rarer concepts are not in the list." in made
    assert linked(made)


def test_ids_come_from_cuis_alone() -> None:
    anchors = Anchors({CT: 0, "content": 1})
    assert anchors.link(Named("content", "")) == '<a href="#label-1" title="content">content</a>'
    assert anchors.link(Named(LUNG, "Lung")) == f'<span title="{LUNG}">Lung</span>'


@pytest.mark.parametrize("text", [*HOSTILE, "content"])
def test_hostile_text_stays_text(text: str) -> None:
    rows = [
        row(
            f"{text}{number}",
            text if number else "train",
            image="a.png",
            captions=f"{text} CT {text}",
            cui=[CT, text],
            licence=text,
            attribution=text,
            modality=text,
        )
        for number in range(3)
    ]
    plain = dataset_of(rows, {"a.png": png(noise(1))}, text)
    hostile = Dataset(text, plain.table, plain.images, {text: text, CT: text * 1_000}, Card(text, text))
    made = paged(hostile)
    assert linked(made).named("img")
    assert ("<" in text) <= (text not in made)
    assert len(made) < 200_000


def test_style_uses_the_colours_of_the_page_and_fetches_nothing() -> None:
    named = set(re.findall(r"--([\w-]+):", PAGE_STYLE))
    assert set(re.findall(r"var\(--([\w-]+)\)", STYLE)) <= named
    assert not re.search(r"animation|transition|@import|url\(|@font-face|</", STYLE)
    assert "max-width: 40rem" in STYLE
