"""Backbones by name: our own that need torch alone, and every network of timm."""

from radcap.vision.backbones.backbone import Backbone, make_backbone

__all__ = ["Backbone", "make_backbone"]
