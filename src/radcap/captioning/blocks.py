"""The blocks of a captioner by name, known before torch is loaded.

Invariant: nothing is loaded here; a table holds dotted paths.
"""

from __future__ import annotations

from radcap.core.registry import Registry

__all__ = ["CAPTIONERS", "DECODERS", "EYELESS", "FAMILIES", "ONE_DRAFT", "RERANKERS", "WRITING"]

# What writes word after word over a memory of the image.
DECODERS = Registry(
    "decoder",
    {
        "lstm": "radcap.captioning.decoders.recurrent:make_recurrent",
        "gru": "radcap.captioning.decoders.recurrent:make_recurrent",
        "transformer": "radcap.captioning.decoders.transformer:make_transformer",
        "prefix": "radcap.captioning.decoders.prefix:make_prefix",
        "lm": "radcap.captioning.decoders.language_model:make_language_model",
    },
)
# Published captioners whose eyes and text side are woven into ours.
FAMILIES = Registry(
    "pretrained",
    {
        "encoder-decoder": "radcap.captioning.pretrained.encoder_decoder:EncoderDecoder",
        "blip": "radcap.captioning.pretrained.blip:Blip",
        "q-former": "radcap.captioning.pretrained.q_former:QFormer",
    },
)
WRITING = frozenset({*DECODERS.table, *FAMILIES.table})  # kinds that write over a memory
# How the others come to their caption, and how every kind is trained.
CAPTIONERS = Registry(
    "captioner",
    {
        **dict.fromkeys(
            (*DECODERS.table, *FAMILIES.table), "radcap.captioning.training.writing:train_writer"
        ),
        "chat": "radcap.captioning.training.chatting:train_chat",
        "words": "radcap.captioning.training.wording:train_words",
        "nearest": "radcap.captioning.training.recalling:train_nearest",
        "frequent": "radcap.captioning.training.recalling:train_frequent",
        "random": "radcap.captioning.training.recalling:train_random",
        "template": "radcap.captioning.training.templating:train_template",
    },
)
# Kinds that look at no image, or not with a backbone of ours.
EYELESS = frozenset({"frequent", "random", "chat"})
# Kinds that come to one caption, so there is nothing to choose from.
ONE_DRAFT = frozenset({"words", "frequent", "random", "template"})
# What chooses among drafts, beside the decoder's own score.
RERANKERS = Registry(
    "reranker",
    {
        "none": "radcap.captioning.reranking.plain:make_plain",
        "alignment": "radcap.captioning.reranking.alignment:make_alignment",
        "consensus": "radcap.captioning.reranking.consensus:make_consensus",
        "centroid": "radcap.captioning.reranking.centroid:make_centroid",
    },
)
