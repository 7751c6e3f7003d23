"""The blocks of a network by name, known before torch is loaded.

Invariant: nothing is loaded here; a table holds dotted paths.
"""

from __future__ import annotations

from radcap.core.registry import Registry

__all__ = ["BACKBONES", "HEADS", "LOSSES", "POOLINGS"]

BACKBONES = Registry(  # beside these: every network of timm
    "backbone",
    {
        **{f"tf_efficientnet_lite{number}": "radcap.vision.backbones.lite:make_lite" for number in range(5)},
        "residual-scales": "radcap.vision.backbones.residual_scales:make_residual_scales",
        "visual-words": "radcap.vision.backbones.visual_words:make_visual_words",
        "colour-tree": "radcap.vision.backbones.colour_tree:make_colour_tree",
        "auto-encoder": "radcap.vision.backbones.auto_encoder:make_auto_encoder",
        "hugging-face": "radcap.vision.backbones.hugging_face:make_hugging_face",
        "open-clip": "radcap.vision.backbones.open_clip:make_open_clip",
        "joined": "radcap.vision.backbones.joined:make_joined",
    },
)
HEADS = Registry(
    "head",
    {
        "linear": "radcap.vision.heads.head:LinearHead",
        "mlp": "radcap.vision.heads.head:MlpHead",
        "csra": "radcap.vision.heads.csra:CsraHead",
        "label-embedding": "radcap.vision.heads.label_embedding:LabelEmbeddingHead",
        "grouped": "radcap.vision.heads.grouped:GroupedHead",
        "chained": "radcap.vision.heads.chained:ChainedHead",
        "sequence": "radcap.vision.heads.sequence:SequenceHead",
    },
)
POOLINGS = Registry(
    "pooling",
    {
        "avg": "radcap.vision.heads.pooling:AveragePool",
        "max": "radcap.vision.heads.pooling:MaxPool",
        "gem": "radcap.vision.heads.pooling:GemPool",
    },
)
LOSSES = Registry(
    "loss",
    {
        "bce": "radcap.vision.losses.loss:make_bce",
        "soft-margin": "radcap.vision.losses.loss:make_bce",  # MultiLabelSoftMarginLoss is the mean of BCE
        "weighted-bce": "radcap.vision.losses.loss:make_weighted",
        "focal": "radcap.vision.losses.loss:make_focal",
        "asymmetric": "radcap.vision.losses.loss:make_asymmetric",
        "soft-f1": "radcap.vision.losses.loss:make_soft_f1",
        "curriculum": "radcap.vision.losses.curriculum:make_curriculum",
        "contrastive": "radcap.vision.losses.contrastive:make_contrastive",
        "own": "radcap.vision.losses.loss:make_own",  # the head's own: that of a sequence
    },
)
