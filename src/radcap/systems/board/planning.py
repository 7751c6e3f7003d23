"""In what order the systems of a board are trained, several at a time.

Invariant: every system is there once, after all members that are trained ahead of it; of networks that are
alike, one is trained ahead. The long ones come first, so that none is left alone at the end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from radcap.detection.system import ConceptModel, ConceptSystem, Member

__all__ = ["planned"]

Work = TypeVar("Work")


def planned(
    works: Sequence[Work],
    system_of: Callable[[Work], ConceptSystem],
    of_member: Callable[[Work, Member], Work],
) -> list[Work]:
    """Single models and the members of ensembles, the longest first; then what is put together from them."""
    ahead: list[tuple[float, Work]] = []
    behind: list[Work] = []
    known: set[str] = set()
    for work in works:
        system = system_of(work)
        fresh = [one for one in system.member or (system,) if _is_learnt(one) and _recipe(one) not in known]
        known |= {_recipe(one) for one in fresh}
        if fresh and not system.member:
            ahead.append((_steps(system), work))
            continue
        behind.append(work)
        unlike = {_recipe(one): one for one in system.member if one in fresh}
        ahead += [(_steps(one), of_member(work, one)) for one in unlike.values()]
    return [work for _, work in sorted(ahead, key=lambda one: -one[0])] + behind


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
