"""The blocks of a network by name, known before torch is loaded.

Invariant: nothing is loaded here; a table holds dotted paths.
"""

from __future__ import annotations

from radcap.core.registry import Registry

__all__ = ["BACKBONES", "HEADS", "LOSSES", "POOLINGS"]

BACKBONES = Registry(  # beside these: every network of timm
    "backbone",
    {f"tf_efficientnet_lite{number}": "radcap.vision.backbones.lite:make_lite" for number in range(5)},
)
HEADS = Registry(
    "head",
    {
        "linear": "radcap.vision.heads.head:LinearHead",
        "mlp": "radcap.vision.heads.head:MlpHead",
        "csra": "radcap.vision.heads.csra:CsraHead",
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
    },
)
