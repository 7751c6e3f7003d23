"""Readings as pages: click a word, see where in the image it comes from."""

from radcap.reading.page.batch import Around, batch_page, readings_page
from radcap.reading.page.card import CARD_SCRIPT, CARD_STYLE, card
from radcap.reading.page.census import BATCH, Census
from radcap.reading.page.entries import Entry, entry_of
from radcap.reading.page.index import index_page

__all__ = [
    "BATCH",
    "CARD_SCRIPT",
    "CARD_STYLE",
    "Around",
    "Census",
    "Entry",
    "batch_page",
    "card",
    "entry_of",
    "index_page",
    "readings_page",
]
