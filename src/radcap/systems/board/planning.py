"""In what order the systems of a board are trained, several at a time.

Invariant: every system is there once, after all members that are trained ahead of it; of networks that are
alike, one is trained ahead. The long ones come first, so that none is left alone at the end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.detection.system import ConceptModel, ConceptSystem, Member

    Task: TypeAlias = tuple[ConceptSystem, Member | None]

__all__ = ["planned"]


def planned(systems: Sequence[ConceptSystem]) -> list[Task]:
    """Single models and members of ensembles, the longest first; then what is put together from them."""
    ahead: list[tuple[float, Task]] = []
    behind: list[Task] = []
    known: set[str] = set()
    for system in systems:
        fresh = {_recipe(one): one for one in system.member or (system,) if _is_learnt(one)}
        fresh = {recipe: one for recipe, one in fresh.items() if recipe not in known}
        known |= fresh.keys()
        if fresh and not system.member:
            ahead.append((_steps(system), (system, None)))
            continue
        behind.append((system, None))
        members = [one for one in system.member if fresh.get(_recipe(one)) is one]
        ahead += [(_steps(one), (system, one)) for one in members]
    return [task for _, task in sorted(ahead, key=lambda one: -one[0])] + behind


def _is_learnt(model: ConceptModel) -> bool:
    """Whether a network is trained as a whole, which is what takes long."""
    return model.text is None and not model.backbone.frozen and model.train.epochs > 0


def _recipe(model: ConceptModel) -> str:
    """Models with the same recipe have the same network."""
    return repr((model.data, model.image, model.backbone, model.head, model.loss, model.train, model.teacher))


def _steps(model: ConceptModel) -> float:
    """About how long it takes, by the pixels that are looked at; sequences of labels take longer."""
    train, harder = model.train, 3 if model.head.kind == "sequence" else 1
    return train.epochs * (1 + train.refit) * model.image.size**2 * harder
