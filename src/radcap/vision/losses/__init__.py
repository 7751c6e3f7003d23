"""Losses over logits and labels, by name."""

from radcap.vision.losses.loss import Loss, make_loss

__all__ = ["Loss", "make_loss"]
