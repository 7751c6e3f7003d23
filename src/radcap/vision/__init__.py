"""Networks that look at images: backbones, heads, losses, the training loop."""

__all__: list[str] = []
