"""A dataset as one HTML file: what it is, how it is made up, what its images look like.

Invariant: it holds no script and no address outside itself; the same dataset and seed give the same bytes.
At most one image is in memory at a time, however many the dataset has.
"""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
import pyarrow as pa

from radcap.core import VERSION
from radcap.datasets.caption_parts import source_titles
from radcap.datasets.codes import CODES, level_of
from radcap.datasets.lists import lengths, single
from radcap.datasets.page import sections
from radcap.datasets.page.cards import facets_of, gallery, outlier_row
from radcap.datasets.page.facets import facet_style
from radcap.datasets.page.outliers import outliers
from radcap.datasets.page.sample import stratified_sample
from radcap.datasets.statistics.comparison import compare_datasets
from radcap.datasets.statistics.comparison_tables import modality_table
from radcap.datasets.statistics.concepts import names_of
from radcap.datasets.statistics.counting import UNKNOWN, partition
from radcap.datasets.statistics.modalities import modality_partition, modality_title
from radcap.datasets.statistics.splits import split_partition
from radcap.report import Table, page
from radcap.report.html import facts_list, section, table_box
from radcap.report.markup import Markup, element, joined
from radcap.report.names import counted, several

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from radcap.datasets.dataset import Dataset
    from radcap.datasets.findings import Finding
    from radcap.datasets.statistics.counting import Partition
    from radcap.datasets.statistics.figures import Statistics
    from radcap.datasets.survey.survey import Survey

__all__ = ["Checked", "report_page"]


class Checked(Protocol):
    """What a check of a dataset found; `Findings` is one."""

    @property
    def counts(self) -> Mapping[str, int]: ...

    @property
    def findings(self) -> Sequence[Finding]: ...


class _Part(NamedTuple):
    key: str
    heading: str
    body: Markup


def report_page(
    dataset: Dataset,
    stats: Statistics,
    survey: Survey | None = None,
    check: Checked | None = None,
    *,
    seed: int = 0,
    sample: int = 60,
) -> str:
    """The whole report. `survey` adds the ends of the pixels, `check` what was found wrong."""
    modalities = modality_partition(dataset)
    shown, style = _gallery(dataset, modalities, sample, seed)
    parts = [
        _Part("about", "About", sections.about(dataset.card)),
        _Part("splits", "Splits", sections.splits(stats, _shift(dataset))),
        _Part("images", "Images", shown),
        _Part("labels", "Modality, region, direction", sections.labels(stats)),
        _Part("concepts", "Concepts", sections.concepts(stats)),
        _Part("captions", "Captions", sections.captions(stats)),
        _Part("origin", "Licences and origin", sections.origin(stats)),
        _Part("pixels", "Pixels", sections.pixels(stats)),
        _Part("outliers", "Outliers", _outliers(dataset, survey, modalities)),
        _Part("findings", "Findings", _findings(dataset, check) if check else Markup("")),
        _Part("colophon", "Method", _colophon(seed, sample, surveyed=survey is not None)),
    ]
    parts = [part for part in parts if part.body]
    header = joined([_summary(dataset, stats), _tiles(stats), _contents(parts)])
    css = files("radcap.datasets.page").joinpath("page.css").read_text("utf-8")
    title = dataset.card.title or dataset.name
    return page(title, header, *(section(*part) for part in parts), more_style=css + style)


def _summary(dataset: Dataset, stats: Statistics) -> Markup:
    """What it is in one sentence; records that a selection left out are never passed over."""
    kinds = [modality_title(one.name) for one in stats.modalities if one.name != UNKNOWN]
    of = f": {several(kinds)}" if kinds else ""
    left_out = dataset.found - len(dataset)
    more = f" The selection left out {left_out:,} of {counted(dataset.found, 'record')}." if left_out else ""
    told = f"{counted(stats.images)} in {counted(len(stats.splits), 'split')}{of}.{more}"
    return element("p", told, class_="summary")


def _tiles(stats: Statistics) -> Markup:
    facts = [
        ("images", f"{stats.images:,}"),
        ("groups", f"{stats.groups:,}"),
        *_caption_tiles(stats),
        ("concepts", f"{stats.concepts.unique:,}"),
        ("concepts/image", f"{stats.concepts.per_image.mean:.2f}"),
        ("modalities", f"{len(stats.modalities):,}"),
        ("licences", f"{len(stats.licences.families):,}"),
    ]
    return element("div", facts_list(facts), class_="tiles")


def _caption_tiles(stats: Statistics) -> Iterator[tuple[str, str]]:
    """Captions of each source by themselves."""
    for source, name in source_titles("caption", stats.captions).items():
        found = stats.captions.get(source)
        yield f"{name}s", f"{found.n if found else 0:,}"
        yield f"words/{name}", f"{found.words.mean if found else 0:.1f}"


def _shift(dataset: Dataset) -> Table | None:
    """The modalities of the splits side by side."""
    if len(dataset.splits) < 2:  # noqa: PLR2004, one split differs from none
        return None
    return modality_table(compare_datasets([dataset]).datasets)


def _contents(parts: Sequence[_Part]) -> Markup:
    links = [element("li", element("a", part.heading, href=f"#{part.key}")) for part in parts]
    return element("nav", element("ul", *links), aria_label="Contents")


def _gallery(dataset: Dataset, modalities: Partition, sample: int, seed: int) -> tuple[Markup, str]:
    """The random sample, and the style of its filters."""
    splits = split_partition(dataset)
    places: list[int] = stratified_sample(modalities, splits, _caption_kinds(dataset), sample, seed).tolist()
    if not places:
        return Markup(""), ""
    records = [dataset[place] for place in places]
    names = [modalities.name_of(place) for place in places]
    facets = facets_of(records, names)
    told = (
        f"{counted(len(places))} drawn at random (seed {seed}) from every modality of every split; rare ones "
        "are drawn more often than their share. A dot marks a manual concept."
    )
    legend = element("p", told, class_="legend")
    return joined([legend, gallery(records, names, facets, names_of(dataset))]), facet_style(facets)


def _caption_kinds(dataset: Dataset) -> Partition:
    """Images by the source of their first caption."""
    captions = single(dataset.column("captions"))
    there = lengths(captions) > 0
    first = captions.offsets.to_numpy()[:-1][there]
    sources = np.full(len(dataset), "", object)
    sources[there] = captions.flatten().field("source").take(pa.array(first)).to_numpy(zero_copy_only=False)
    return partition(pa.array(sources, pa.string()))


def _outliers(dataset: Dataset, survey: Survey | None, modalities: Partition) -> Markup:
    rows: list[Markup] = []
    for end in outliers(dataset, survey):
        records = [dataset[place] for place, _ in end.images]
        names = [modalities.name_of(place) for place, _ in end.images]
        rows.append(outlier_row(end, records, names))
    return element("div", *rows, class_="ends") if rows else Markup("")


def _findings(dataset: Dataset, check: Checked) -> Markup:
    """Each code with its count and its first finding; what the card announces is marked as known."""
    if not check.counts:
        return element("p", "The check found nothing.")
    first = {one.issue.code: one.issue.message for one in reversed(check.findings)}
    rows = tuple(
        (
            code,
            _level(code),
            f"{n:,}",
            "yes" if code in dataset.card.known_issues else "",
            first.get(code, ""),
        )
        for code, n in sorted(check.counts.items())
    )
    columns = ("code", "level", "findings", "known", "first of them")
    return table_box(Table(columns, rows, "Findings by code", right=frozenset({"findings"})))


def _level(code: str) -> str:
    return level_of(code).value if code in CODES else ""


def _colophon(seed: int, sample: int, *, surveyed: bool) -> Markup:
    looked = (
        "Every image was decoded once." if surveyed else "The images were not surveyed: no pixel statistics."
    )
    told = (
        f"radcap {VERSION}, seed {seed}, a sample of {sample:,}. {looked} Words are what white space "
        "separates. Concepts count once on an image. The same data and seed give the same bytes."
    )
    return element("p", told)
