"""Which mentions of a caption an edition keeps.

The order: wrong links are corrected first, so that the other rules see the right concept; then negation and
doubt, the blacklist, and the semantic types.
Invariant: every mention comes back, in its place; one that was dropped before is left as it is, and one that
is dropped here says which rule did it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from radcap.vocabulary.rules.concept_rules import Fate
from radcap.vocabulary.words import normal, split

if TYPE_CHECKING:
    from collections.abc import Iterable

    from radcap.vocabulary.linking.mentions import Mention
    from radcap.vocabulary.rules.concept_rules import ConceptRules, Remap

__all__ = ["apply_rules"]


def apply_rules(mentions: Iterable[Mention], rules: ConceptRules) -> tuple[Mention, ...]:
    """The mentions with what the rules say of them."""
    refused = {one.cui: one.reason for one in rules.blacklist}
    types = rules.types
    return tuple(_decided(one, rules, refused, types) if one.kept else one for one in mentions)


def _decided(
    mention: Mention, rules: ConceptRules, refused: dict[str, str], types: frozenset[str]
) -> Mention:
    remap = _remap(mention, rules)
    if remap is not None:
        if remap.to is None:
            return _dropped(mention, f"wrong link: {remap.reason}")
        why = f"remapped from {mention.cui}"
        mention = replace(mention, cui=remap.to, name=remap.name, types=remap.types, why=why)
    if mention.negated and rules.negated is Fate.DROP:
        return _dropped(mention, "negated")
    if mention.uncertain and rules.uncertain is Fate.DROP:
        return _dropped(mention, "uncertain")
    if mention.cui in refused:
        return _dropped(mention, f"blacklist: {refused[mention.cui]}")
    why = _wrong_type(mention, rules, types)
    return _dropped(mention, why) if why else mention


def _remap(mention: Mention, rules: ConceptRules) -> Remap | None:
    for one in rules.remaps:
        if one.cui == mention.cui and (not one.word or _has_word(mention.text, one.word)):
            return one
    return None


def _has_word(text: str, word: str) -> bool:
    return normal(word) in map(normal, split(text)[1::2])


def _wrong_type(mention: Mention, rules: ConceptRules, types: frozenset[str]) -> str:
    """Why the semantic types of a mention do not fit; nothing where one does."""
    if not types or not types.isdisjoint(mention.types):
        return ""
    if not mention.types:
        return "its semantic type is not known" if rules.unknown_types is Fate.DROP else ""
    listed = ", ".join(mention.types)
    return (
        f"semantic types {listed} are not kept"
        if len(mention.types) > 1
        else f"semantic type {listed} is not kept"
    )


def _dropped(mention: Mention, why: str) -> Mention:
    return replace(mention, kept=False, why=why)
