"""Captions of an image: grammar, tokenizers, decoders, generation, training. Import the part you need."""

__all__: list[str] = []
