"""Backbones by name: our own that need torch alone, every network of timm, and published towers."""

from radcap.vision.backbones.backbone import Backbone, make_backbone

__all__ = ["Backbone", "make_backbone"]
