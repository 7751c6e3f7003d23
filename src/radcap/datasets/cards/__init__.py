"""What a dataset says of itself: the card, and its forms for people (Markdown) and programs (Croissant)."""

from radcap.datasets.cards.card import CARD_FILE, Card, read_card

__all__ = ["CARD_FILE", "Card", "read_card"]
