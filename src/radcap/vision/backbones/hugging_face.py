"""Vision towers that transformers can read, as backbones: CLIP, SigLIP, MedCLIP, BLIP, ViT, Swin, DINO.

`weights` names the published folder, or a repository in the Hugging Face cache. The map is the tower's last
hidden state without class tokens; with `pooled`, the model's own image vector as a map of one place:
projected where the model has a projection (CLIP), else by its pooler (SigLIP), else the class token, else
the mean of all places. With `tokens` the class token and registers stand behind the channels of each place.
Invariant: every weight of the tower comes from the folder, or the folder is refused.
"""

# transformers is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from radcap.core import UsageError
from radcap.vision.backbones.geometry import Geometry, PublishedBackbone, read_geometry
from radcap.vision.backbones.probing import probe
from radcap.vision.backbones.published_folder import (
    find_folder,
    names_folder,
    read_folder,
    transformers_module,
)
from radcap.vision.backbones.published_network import load_network, without_pooler
from radcap.vision.backbones.tower_features import TowerFeatures
from radcap.vision.backbones.towers import (
    FILES,
    describe,
    projection_of,
    read_tower,
    tower_config,
    tower_scaling,
    tower_weights,
)
from radcap.vision.backbones.weights import fill
from radcap.vision.transformers_library import quiet

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    import torch

    from radcap.vision.backbones.backbone import Backbone
    from radcap.vision.settings import BackboneSettings

__all__ = ["load_tower", "make_hugging_face", "tower_backbone"]


def make_hugging_face(settings: BackboneSettings, *, size: int) -> Backbone:
    """The tower of a published folder with its weights, or that of a geometry without them."""
    if not names_folder(settings):
        return _built(read_geometry(settings), settings, size, _drawn)
    folder = find_folder(settings.weights, "config.json")
    found, path = read_folder(folder, FILES)

    def loaded(cls: Any, config: Any) -> Any:  # noqa: ANN401 - transformers' own
        return _loaded(cls, config, found, path)

    backbone = _built(describe(folder, found), settings, size, loaded)
    projection, weight = backbone.body.get_submodule("projection"), projection_of(found)
    fill(projection, {} if weight is None else {"weight": weight}, path)
    return backbone


def _built(
    geometry: Geometry, settings: BackboneSettings, size: int, network: Callable[[Any, Any], Any]
) -> PublishedBackbone:
    """The tower over a network that is drawn or loaded, once it is known to take images of that size."""
    cls, config = read_tower(geometry.config, "[backbone] geometry")
    _set_drop(config, settings)
    config.vision_use_head = settings.pooled  # SigLIP's, whose head has no part in the map
    projection = geometry.projection if settings.pooled else 0

    def over(network: Any) -> TowerFeatures:  # noqa: ANN401 - transformers' own
        return TowerFeatures(network, pooled=settings.pooled, projection=projection, tokens=settings.tokens)

    with quiet(transformers_module()):
        probed = probe(lambda: over(_drawn(cls, config)), size, cls.__name__)
        body = over(network(cls, config))
    probed.settle(body)
    return PublishedBackbone(body, probed.width, geometry)


def tower_backbone(network: Any, folder: Path, size: int) -> PublishedBackbone:  # noqa: ANN401 - as above
    """A tower that stands in a larger model, which `folder` describes, with its tokens."""
    source = str(folder / "config.json")
    geometry = Geometry(tower_config(network.config.to_dict(), source), *tower_scaling(folder))
    cls, config = read_tower(geometry.config, source)
    with quiet(transformers_module()):
        probed = probe(lambda: _with_tokens(_drawn(cls, config)), size, cls.__name__)
    body = _with_tokens(network)
    for name, weight in body.named_parameters():
        weight.requires_grad_(weight.requires_grad and name in probed.used)  # a pooler has no part in the map
    return PublishedBackbone(body, probed.width, geometry)


def _with_tokens(network: Any) -> TowerFeatures:  # noqa: ANN401 - as above
    return TowerFeatures(network, pooled=False, projection=0, tokens=True)


def _set_drop(config: Any, settings: BackboneSettings) -> None:  # noqa: ANN401 - transformers' own
    if hasattr(config, "drop_path_rate"):
        config.drop_path_rate = settings.drop
    elif settings.drop:
        told = f"A {config.model_type} drops no branches, and [backbone] drop is {settings.drop}"
        raise UsageError(f"{told}. Write 0, or name another network.")


def _drawn(cls: Any, config: Any) -> Any:  # noqa: ANN401 - transformers' own
    return cls(config, **without_pooler(cls))


def load_tower(folder: Path) -> Any:  # noqa: ANN401 - as above
    """The network alone of a published folder, with its weights."""
    found, path = read_folder(folder, FILES)
    cls, config = read_tower(describe(folder, found).config, str(folder / "config.json"))
    with quiet(transformers_module()):
        return _loaded(cls, config, found, path)


def _loaded(cls: Any, config: Any, found: Mapping[str, torch.Tensor], path: Path) -> Any:  # noqa: ANN401 - as above
    inside = tower_weights(found, cls.base_model_prefix)
    return load_network(cls, config, inside, path, "the vision tower")
