"""Caption lengths: as str.split counts, every source by itself."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from dataset_samples import dataset_of, row, sample
from hypothesis import given, settings
from hypothesis import strategies as st

from radcap.datasets.statistics.captions import caption_statistics, word_counts
from radcap.datasets.statistics.figures import group_codes

SIGNS = st.sampled_from([*"aB1.,-\u00e4", " ", "  ", "\t", "\n", "\u00a0", "\u2003", "\u3000"])


@settings(max_examples=200, deadline=None)
@given(st.lists(st.lists(SIGNS, max_size=12).map("".join), max_size=6))
def test_words_are_those_of_str_split(texts: list[str]) -> None:
    assert word_counts(pa.array(texts, pa.string())).tolist() == [len(text.split()) for text in texts]


def captions(*sources: str) -> list[dict[str, str]]:
    return [
        {"text": f"{source} caption of length five", "source": source, "language": "en"} for source in sources
    ]


def test_sources_and_languages_are_kept_apart() -> None:
    two = [{"text": "Schnittbild", "source": "translated", "language": "de"}, *captions("generated")]
    dataset = dataset_of([row("a", captions="one two"), row("b", captions=two), row("c")])
    found = caption_statistics(dataset, group_codes(dataset))
    assert list(found) == ["original", "translated", "generated"]
    assert {name: (one.n, one.captioned, one.words.mean) for name, one in found.items()} == {
        "original": (1, 1, 2),
        "translated": (1, 1, 1),
        "generated": (1, 1, 5),
    }
    languages = {name: {key: part.n for key, part in one.by_language.items()} for name, one in found.items()}
    assert languages == {"original": {"en": 1}, "translated": {"de": 1}, "generated": {"en": 1}}


def test_composed_captions_change_nothing_of_the_originals() -> None:
    rows = [row(name, captions="one two three", group="g") for name in "ab"]
    both = [{**one, "captions": [*one["captions"], *captions("composed")]} for one in rows]
    plain, mixed = (caption_statistics(one, group_codes(one)) for one in (dataset_of(rows), dataset_of(both)))
    assert mixed["original"] == plain["original"]
    assert mixed["composed"].words.mean == 5


def test_captions_of_one_group_are_added_up() -> None:
    rows = [
        row("a", group="x", captions="one"),
        row("b", group="x", captions="one"),
        row("c", group="y", captions="one"),
        row("d", group="z"),
    ]
    dataset = dataset_of(rows)
    per_group = caption_statistics(dataset, group_codes(dataset))["original"].per_group
    assert (per_group.n, per_group.mean, per_group.maximum) == (2, 1.5, 2)


@pytest.mark.parametrize("cut", [slice(0, 0), slice(3, 9), slice(None)])
def test_a_part_of_a_dataset_is_counted_alone(cut: slice) -> None:
    part = sample()[cut]
    said = [(caption.source.value, caption.text) for record in part for caption in record.captions]
    found = caption_statistics(part, group_codes(part))
    assert {name: one.n for name, one in found.items()} == Counter(source for source, _ in said)
    for name, one in found.items():
        assert one.words.total == sum(len(text.split()) for source, text in said if source == name)


def test_no_caption_at_all() -> None:
    dataset = dataset_of([row("a"), row("b")])
    found = caption_statistics(dataset, np.array([0, 1]))
    assert found == {}
