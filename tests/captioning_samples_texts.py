"""Captions for the tests of tokenizers and texts: real ones, and any that Hypothesis thinks of."""

from __future__ import annotations

from functools import cache

from hypothesis import strategies as st

import radcap
from radcap.datasets.records import CaptionSource

CAPTION = "CT of the chest showing a mass (arrow) 12 mm \u00b5m 2.5 \N{EN DASH} fémur ≥"
WORDS = CAPTION.split()
sentences = st.lists(st.sampled_from(WORDS), max_size=30).map(" ".join)
signs = st.text(max_size=60)  # of any script, with lone surrogates
texts = st.one_of(
    sentences, signs, st.lists(st.one_of(st.sampled_from(WORDS), signs), max_size=6).map(" ".join)
)


@cache
def real_captions() -> tuple[str, ...]:
    """Those that authors wrote, of the dataset that ships inside."""
    dataset = radcap.load_dataset("radiology-open")
    captions = (caption for record in dataset for caption in record.captions)
    return tuple(dict.fromkeys(one.text for one in captions if one.source is CaptionSource.ORIGINAL))
