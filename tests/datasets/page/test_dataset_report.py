"""The report page: one safe file, the same bytes for the same data, everything named."""

from __future__ import annotations

import re
from importlib.resources import files

import numpy as np
import pytest
from dataset_samples import dataset_of, noise, png, row, sample
from safe_pages import HOSTILE, safe
from survey_samples import survey_of

from radcap.datasets import Card, Dataset, Findings
from radcap.datasets.columns import make_table
from radcap.datasets.page.page import report_page
from radcap.datasets.selection import Selection
from radcap.datasets.statistics.figures import statistics
from radcap.report.html import POLICY

STYLE = files("radcap.datasets.page").joinpath("page.css").read_text("utf-8")
PAGE_STYLE = files("radcap.report").joinpath("page.css").read_text("utf-8")


def paged(dataset: Dataset, **options) -> str:
    survey = survey_of(dataset)
    return report_page(dataset, statistics(dataset, survey), survey, **options)


def test_the_page_is_one_safe_file() -> None:
    found = safe(paged(sample(40)))
    assert {one.get("http-equiv"): one.get("content") for one in found.named("meta")}[
        "Content-Security-Policy"
    ] == POLICY
    pictures = found.named("img")
    assert pictures
    assert all((one["src"] or "").startswith("data:image/webp;base64,") for one in pictures)
    assert all(one["alt"] for one in pictures)
    ids = [one["id"] for _, one in found.tags if "id" in one]
    assert len(ids) == len(set(ids))
    assert {one["for"] for one in found.named("label")} == {one["id"] for one in found.named("input")}
    assert {(one["href"] or "")[1:] for one in found.named("a")} <= set(ids)


def test_the_same_data_and_seed_give_the_same_bytes() -> None:
    dataset = sample(80)
    first, again, other = (paged(dataset, sample=10, seed=seed) for seed in (1, 1, 2))
    assert first == again
    assert first != other
    assert not re.search(r"20[0-9]{2}-[01][0-9]-[0-3][0-9]", first)


@pytest.mark.parametrize("n", [0, 1, 3])
def test_any_size_makes_a_page(n: int) -> None:
    dataset = sample(12)[:n]
    assert bool(safe(paged(dataset)).named("figure")) == bool(n)
    bare = report_page(dataset, statistics(dataset))
    safe(bare)
    assert f"{n} image" in bare


def test_a_dataset_of_bare_labels_makes_a_page() -> None:
    dataset = Dataset("bare", make_table({"image_id": ["a", "b"]}, 2))
    made = report_page(dataset, statistics(dataset))
    safe(made)
    assert "no picture (IMG101)" in made
    assert "no caption" in made
    assert "no concept" in made
    assert "licence not stated" in made
    assert "2 images in 1 split." in made


@pytest.mark.parametrize("text", [*HOSTILE, "javascript:alert(1) ]]> --> {{7*7}}"])
def test_hostile_text_stays_text(text: str) -> None:
    rows = [
        row(
            f"{text}{number}",
            text if number else "train",
            image="a.png",
            captions=text,
            cui=["C0040405", text],
            cui_manual=[text],
            group=text,
            source=text,
            licence=text,
            attribution=text,
            modality=text,
            year=text,
            journal=text,
        )
        for number in range(3)
    ]
    dataset = dataset_of(rows, {"a.png": png(noise(1))}, text)
    card = Card(text, text, text, text, text, text, text, text, text, text, (text,))
    hostile = Dataset(text, dataset.table, dataset.images, {text: text}, card)
    made = paged(hostile)
    assert safe(made).named("img")
    assert ("<" in text) <= (text not in made)


def test_cards_say_what_is_known() -> None:
    rows = [
        row(
            "Sample_1",
            captions=[{"text": "CT of " + "the " * 40 + "chest", "source": "composed", "language": "en"}],
            cui=["C0040405", "C0817096", "C9999999", *(f"C{n:07d}" for n in range(12))],
            cui_manual=["C0040405"],
            licence="CC BY 4.0",
            attribution="Somebody, 2020",
            modality="DRCT",
        ),
        row("Sample_2", "test", captions="Short.", modality="DRMR"),
    ]
    made = report_page(dataset := dataset_of(rows), statistics(dataset))
    assert "<code>Sample_<wbr />1</code>" in made
    assert "\u2026 11 more words" in made
    assert "<small>composed</small>" in made
    assert 'title="C0040405, manual" class="manual"' in made
    assert '<li title="C0817096">Chest</li>' in made
    assert '<li title="C9999999">C9999999</li>' in made
    assert "<li>3 more</li>" in made
    assert "<b>CC BY 4.0</b> Somebody, 2020" in made
    assert made.count("<legend>") == 4


def test_captions_of_two_sources_are_never_counted_together() -> None:
    author, made = ({"text": "CT of it", "source": one, "language": "en"} for one in ("original", "composed"))
    rows = [row("a", captions=[author, made]), row("b", captions=[made]), row("c")]
    text = report_page(dataset := dataset_of(rows), statistics(dataset))
    for name, n in (("original captions", 1), ("composed captions", 2)):
        assert f"<dt>{name}</dt><dd>{n}</dd>" in text
    assert "<dt>captions</dt>" not in text
    for kind in ("original and composed", "composed", "none"):
        assert re.search(rf">\s*{kind}\s*<", text), kind
    alone = report_page(dataset := dataset_of([row("a")]), statistics(dataset))
    assert "<dt>captions</dt><dd>0</dd>" in alone
    assert "<dt>words/caption</dt><dd>0.0</dd>" in alone


def test_facets_of_one_value_are_no_choice() -> None:
    dataset = dataset_of([row("a"), row("b")])
    assert "<legend>" not in report_page(dataset, statistics(dataset))


def test_ends_show_the_number_that_put_an_image_there() -> None:
    dataset = sample(12)
    survey = survey_of(dataset, means=np.arange(12, dtype=np.float32))
    made = report_page(dataset, statistics(dataset, survey), survey)
    assert "Darkest <small>mean, 0 to 255</small>" in made
    assert "<b>0.0</b>" in made
    assert "Every image was decoded once." in made


def test_findings_are_summed_up_and_known_ones_marked() -> None:
    found = Findings()
    for split in ("train", "test"):
        found.add("DAT206", n=3, total=9, split=split)
    found.add("DAT308", id="x")
    found.counts["RUN999"] += 1
    dataset = sample(4)
    known = Dataset(dataset.name, dataset.table, dataset.images, card=Card("a", known_issues=("DAT206",)))
    made = report_page(known, statistics(known), check=found)
    rest = r"3 of 9 images in train"
    assert re.search(rf"DAT206</th><td>info</td><td class=\"n\">2</td><td>yes</td><td[^>]*>{rest}", made)
    assert re.search(r"DAT308</th><td>warning</td><td class=\"n\">1</td><td></td>", made)
    assert re.search(r"RUN999</th><td></td><td class=\"n\">1</td>", made)


def test_a_check_that_found_nothing_says_so() -> None:
    dataset = sample(4)
    assert "The check found nothing." in report_page(dataset, statistics(dataset), check=Findings())


def test_records_that_a_selection_left_out_are_told() -> None:
    dataset = sample(12).select(Selection(min_concepts=2))
    assert "The selection left out 6 of 12 records." in report_page(dataset, statistics(dataset))


def test_a_sample_of_none_has_no_gallery() -> None:
    assert 'id="images"' not in paged(sample(12), sample=0)


def test_style_uses_the_colours_of_the_page_and_fetches_nothing() -> None:
    named = set(re.findall(r"--([\w-]+):", PAGE_STYLE))
    assert set(re.findall(r"var\(--([\w-]+)\)", STYLE)) <= named
    assert not re.search(r"animation|transition|@import|url\(|@font-face|</", STYLE)
    assert ":focus-visible" in STYLE
    assert "max-width: 40rem" in STYLE


def test_sixty_images_stay_small() -> None:
    rows = [row(f"i{n}", image="a.png") for n in range(60)]
    noisy = np.random.default_rng(0).integers(0, 256, (600, 800), np.uint8)
    dataset = dataset_of(rows, {"a.png": png(noisy)})
    assert len(report_page(dataset, statistics(dataset))) < 4_000_000
