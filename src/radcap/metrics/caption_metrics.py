"""The caption metrics by name: what each is, what it needs, who computes it.

Invariant: every name of every edition stands here, also where radcap has nothing to compute it with yet; a
plug-in brings such a metric through the entry point `radcap.metric` (a function from `TextPairs` to
`Measured` under the metric's name).
>>> caption_metric("rouge1").title
'ROUGE-1 F1'
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import TYPE_CHECKING

from radcap.core import Missing, unknown_name
from radcap.core.dotted import load_dotted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from radcap.metrics.text_pairs import Measured, Resources, TextPairs

__all__ = ["CAPTION_METRICS", "CaptionMetric", "caption_metric"]

_PLUG_IN = "radcap.metric"
_OWN = "radcap.metrics.measures:"
_METRICS_EXTRA = "Run: pip install 'radcap[metrics]'"


@dataclass(frozen=True, slots=True)
class CaptionMetric:
    """One metric; `path` is 'module:function', None where only a plug-in can compute it."""

    name: str
    title: str
    path: str | None = None
    check: str | None = None  # 'module:function' that raises `Missing` where something is absent
    needs: str = "nothing"  # beyond the base install
    how: str = ""
    is_share: bool = True  # between 0 and 1, so that two empty captions can score 1

    def load(self) -> Callable[[TextPairs], Measured]:
        """What computes it: a plug-in first, then radcap; `Missing` where neither does."""
        for plug_in in entry_points(group=_PLUG_IN, name=self.name):
            return plug_in.load()
        if self.path is None:
            raise Missing(
                f"A provider of {self.name}",
                f"It needs {self.needs}.",
                f"Install a package with '{self.name}' under the entry point {_PLUG_IN}. {self.how}",
            )
        return load_dotted(self.path)

    def why_not(self, resources: Resources) -> Missing | None:
        """What is absent, found without computing anything."""
        try:
            self.load()
            if self.check is not None:
                load_dotted(self.check)(resources)
        except Missing as missing:
            return missing
        return None


_TABLE = (
    CaptionMetric("rouge1", "ROUGE-1 F1", f"{_OWN}rouge1"),
    CaptionMetric("rouge2", "ROUGE-2 F1", f"{_OWN}rouge2"),
    CaptionMetric("rougeL", "ROUGE-L F1", f"{_OWN}rouge_l"),
    CaptionMetric("bleu", "sentence BLEU-4, the NLTK rule of the edition", f"{_OWN}bleu"),
    CaptionMetric("bleu1", "BLEU-1 of the COCO caption tools", f"{_OWN}bleu1"),
    CaptionMetric("bleu2", "BLEU-2 of the COCO caption tools", f"{_OWN}bleu2"),
    CaptionMetric("bleu3", "BLEU-3 of the COCO caption tools", f"{_OWN}bleu3"),
    CaptionMetric("bleu4", "BLEU-4 of the COCO caption tools", f"{_OWN}bleu4"),
    CaptionMetric("cider", "CIDEr-D, rarity over the references given", f"{_OWN}cider", is_share=False),
    CaptionMetric(
        "meteor",
        "METEOR 1.5",
        f"{_OWN}meteor",
        check=f"{_OWN}meteor_ready",
        needs="Java, and the METEOR files of pycocoevalcap",
        how=f"{_METRICS_EXTRA}, which brings both.",
    ),
    CaptionMetric(
        "spice",
        "SPICE 1.0",
        f"{_OWN}spice",
        check=f"{_OWN}spice_ready",
        needs="Java 8 to 14, the SPICE files of pycocoevalcap, a Stanford CoreNLP 3.6 folder",
        how=f"{_METRICS_EXTRA}, then name the folder with --corenlp.",
    ),
    CaptionMetric(
        "bertscore",
        "BERTScore F1",
        needs="the weights microsoft/deberta-xlarge-mnli, about 3 GB",
        how="The weights are on the Hugging Face hub.",
    ),
    CaptionMetric(
        "bleurt",
        "BLEURT",
        needs="the weights lucadiliello/BLEURT-20-D12, 167 M parameters",
        how="The weights are on the Hugging Face hub.",
        is_share=False,
    ),
    CaptionMetric(
        "alignscore",
        "AlignScore",
        needs="the checkpoint AlignScore-base and the tokenizer of roberta-base",
        how="The authors of AlignScore publish the checkpoint.",
    ),
    CaptionMetric(
        "similarity",
        "image-caption similarity",
        needs="the images, and the weights lion-ai/MedImageInsights",
        how="The weights are on the Hugging Face hub.",
        is_share=False,
    ),
    CaptionMetric(
        "umls_f1",
        "F1 of UMLS concepts found in the captions",
        needs="a MedCAT model pack under the UMLS licence",
        how="The pack comes from the MedCAT project, with a UMLS licence.",
    ),
    CaptionMetric(
        "medcon",
        "MEDCON",
        needs="QuickUMLS and a UMLS release under its licence",
        how="UMLS releases come from the U.S. National Library of Medicine.",
    ),
    CaptionMetric(
        "clipscore",
        "CLIPScore",
        needs="the images, and a CLIP checkpoint",
        how="The checkpoint of 2023 and 2024 was not published; the paper's default is CLIP ViT-B/32.",
        is_share=False,
    ),
    CaptionMetric(
        "refclipscore",
        "RefCLIPScore",
        needs="the images, and a CLIP checkpoint",
        how="The checkpoint of 2024 was not published; the paper's default is CLIP ViT-B/32.",
        is_share=False,
    ),
    CaptionMetric(
        "clinical_bleurt",
        "ClinicalBLEURT",
        needs="a checkpoint of its own",
        how="The checkpoint of 2024 was not published.",
        is_share=False,
    ),
    CaptionMetric(
        "medbertscore",
        "MedBERTScore",
        needs="a checkpoint of its own",
        how="The checkpoint of 2024 was not published.",
    ),
)
CAPTION_METRICS: Mapping[str, CaptionMetric] = {one.name: one for one in _TABLE}


def caption_metric(name: str, also: Iterable[str] = ()) -> CaptionMetric:
    """The metric of that name: one of the table, or one that a plug-in adds. A refusal lists `also` too."""
    if name in CAPTION_METRICS:
        return CAPTION_METRICS[name]
    plug_ins = entry_points(group=_PLUG_IN)
    if name in plug_ins.names:
        return CaptionMetric(name, f"{name}, by a plug-in")
    raise unknown_name("caption metric", name, [*CAPTION_METRICS, *sorted(plug_ins.names), *also])
