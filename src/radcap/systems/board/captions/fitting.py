"""A caption system of the catalogue as a board can train it, and what was changed for that.

Invariant: at the scale `published` nothing changes. At any other no endpoint is asked, and nothing that has
to be fetched from a hub is used, whether it is here or not: a board is the same on every machine.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from radcap.captioning.base_models import BASES
from radcap.captioning.joining_settings import RefineSettings
from radcap.captioning.pretrained_settings import PRETRAINED
from radcap.captioning.system import CaptionModel, CaptionSystem
from radcap.core import counted
from radcap.metrics.caption_metrics import caption_metric
from radcap.metrics.text_pairs import Resources
from radcap.systems.board.fitting import Fitted, fit_system
from radcap.systems.board.reductions import cut_short, is_spared, with_stand_ins
from radcap.systems.board.scales import stand_in
from radcap.systems.catalogue import read_concepts
from radcap.vision.settings import BackboneSettings
from radcap.zoo import PREFIX

if TYPE_CHECKING:
    from radcap.captioning.pretrained_settings import PretrainedSettings
    from radcap.captioning.system import CaptionMember
    from radcap.detection.system import ConceptSystem
    from radcap.systems.board.scales import Scale

__all__ = ["LANGUAGE_MODEL", "detectors", "fit_caption_system", "has_eyes"]

AnyModel = TypeVar("AnyModel", bound=CaptionModel)
LANGUAGE_MODEL = "smollm2-135m"  # takes the place of any other: it comes as a package
_METRIC = "rouge1"  # takes the place of a metric that needs a model
_COMPOSED = "composed"
_CHAT = "chat"
_BLIND = ("frequent", "random", "template")  # kinds that look with no network of their own
_UNLEARNT = (*_BLIND, "nearest")  # kinds that learn nothing by epochs
_WORDLESS = ("summarise", "fuse")  # what [refine] can do without a language model: the draft that agrees


def fit_caption_system(system: CaptionSystem, scale: Scale, source: str = _COMPOSED) -> Fitted[CaptionSystem]:
    """The system at a scale, learning from captions of one source."""
    if scale.name == "published":
        return Fitted(system, (), _is_borrowed(system))
    told: dict[str, None] = {}  # in order, each once
    members = _some(system, scale)
    if len(members) < len(system.member):
        told[f"{len(members)} of {len(system.member)} members"] = None
    fitted = [_chosen(_smaller(one, scale, source, told), scale, told) for one in members]
    own = _smaller(system, scale, source, {} if members else told)
    made = replace(_chosen(own, scale, told), member=tuple(fitted))
    for name, one in detectors(made, scale).items():
        told |= dict.fromkeys([f"in its detector {name}: {change}" for change in one.changes])
    return Fitted(made, tuple(told), _is_borrowed(made))


def _is_borrowed(system: CaptionSystem) -> bool:
    """Whether it leans on a model that ships inside, which knows the data better than its rivals' do."""
    return any(one.detector.model.startswith(PREFIX) for one in (system, *system.member))


def has_eyes(model: CaptionModel) -> bool:
    """Whether it is its [backbone] that looks at images."""
    leans = bool(model.detector.model or model.detector.system) and model.detector.share
    own = model.decoder.kind in PRETRAINED and not (model.pretrained.geometry and model.decoder.kind != _CHAT)
    return model.decoder.kind not in _BLIND and not leans and not own


def detectors(system: CaptionSystem, scale: Scale) -> dict[str, Fitted[ConceptSystem]]:
    """The concept systems that it or its members lean on, by name; they are trained first."""
    named = dict.fromkeys(one.detector.system for one in (system, *system.member) if one.detector.system)
    return {name: fit_system(read_concepts(name), scale) for name in named}


def _some(system: CaptionSystem, scale: Scale) -> tuple[CaptionMember, ...]:
    """The first of each kind, then the second of each, until there are enough; in the order of the file.

    Members that differ by name and seed alone are of one kind. A router has a member for each case, and
    members that others are joined to are named.
    """
    if system.join.rule != "pool" or system.join.append:
        return system.member
    kinds: dict[str, list[CaptionMember]] = {}
    for one in system.member:
        kinds.setdefault(repr(replace(one, name="", train=replace(one.train, seed=0))), []).append(one)
    turns = zip_longest(*kinds.values())
    chosen = [one.name for turn in turns for one in turn if one is not None][: scale.writing.members]
    return tuple(one for one in system.member if one.name in chosen)


def _smaller(model: AnyModel, scale: Scale, source: str, told: dict[str, None]) -> AnyModel:
    model = _of_source(model, source, told)
    if not _is_spared(model, scale):
        model = _cut(_seen(model, scale, told), scale, told)
    return _measured_here(_worded(model, told), told)


def _is_spared(model: CaptionModel, scale: Scale) -> bool:
    """Whether it is trained as its file says: its eyes come as a package, or from a model that ships."""
    if model.decoder.kind in PRETRAINED:
        return False
    lent = model.detector.model.startswith(PREFIX) or model.decoder.kind in _BLIND
    return scale.spares_packaged and (lent if not has_eyes(model) else is_spared(model, scale))


def _of_source(model: AnyModel, source: str, told: dict[str, None]) -> AnyModel:
    """The captions that are learnt from, all of one source; and nothing that is not in the dataset."""
    data = model.data
    if data.captions != source:
        told[f"{source} captions"] = None
        if source == _COMPOSED and (data.least or data.most):
            told["buckets of half the length, as composed captions have it"] = None
            data = replace(data, least=(data.least + 1) // 2, most=data.most // 2)
    if data.memory:
        told["the training split in memory"] = None
    language = model.language
    if language.epochs and not Path(language.text).is_file():
        told["no text is read before the captions"] = None
        language = replace(language, text="", epochs=0)
    return replace(model, data=replace(data, captions=source, memory=""), language=language)


def _seen(model: AnyModel, scale: Scale, told: dict[str, None]) -> AnyModel:
    """The network that looks, and how long is learnt."""
    scale = replace(scale, epochs=min(scale.epochs, scale.writing.epochs))
    if model.decoder.kind in _UNLEARNT:  # however many epochs are told
        model = replace(model, train=replace(model.train, epochs=0))
    if model.decoder.kind in PRETRAINED and _is_elsewhere(model.pretrained):
        model = _from_nothing(model, scale, told)
    elif has_eyes(model):
        model = with_stand_ins(model, scale, told)
    if has_eyes(model):
        return cut_short(model, scale, told)
    if model.decoder.kind not in PRETRAINED:  # the size is that of the detector
        scale = replace(scale, size=model.image.size)
    begun = cut_short(replace(model, backbone=BackboneSettings(frozen=True)), scale, told)
    return replace(begun, backbone=model.backbone)


def _is_elsewhere(pretrained: PretrainedSettings) -> bool:
    """Whether a model is named that is no folder here."""
    return any(one and not Path(one).is_dir() for one in (pretrained.model, pretrained.eyes))


def _from_nothing(model: AnyModel, scale: Scale, told: dict[str, None]) -> AnyModel:
    """One of the family of a published model, small and with random weights; packaged eyes look for it.

    Its weights were learnt by nobody, so all of them learn, also where the published one is asked as it is. A
    chat has eyes of its own, which come from nothing too.
    """
    pretrained, kind = model.pretrained, model.decoder.kind
    told[f"a small {kind} from nothing for {pretrained.model}"] = None
    if not pretrained.train:
        told["learnt, not asked as it is"] = None
    made = replace(pretrained, model="", eyes="", geometry="small", freeze=(), train=True, lora=0)
    model = replace(model, pretrained=made, tokenizer=replace(model.tokenizer, file=""))
    if kind == _CHAT:
        return model
    eyes = stand_in(pretrained.eyes or pretrained.model)
    return with_stand_ins(replace(model, backbone=BackboneSettings(eyes, "package")), scale, told)


def _worded(model: AnyModel, told: dict[str, None]) -> AnyModel:
    """A language model and a tokenizer that can be had."""
    decoder, tokenizer = model.decoder, model.tokenizer
    name = decoder.model.removeprefix(PREFIX)
    if decoder.kind == "lm" and name not in BASES and not Path(decoder.model).is_dir():
        told[f"SmolLM2-135M for {decoder.model}"] = None
        decoder = replace(decoder, model=LANGUAGE_MODEL)
    if tokenizer.file and not Path(tokenizer.file).exists():
        told[f"a tokenizer learnt from the captions for {tokenizer.file}"] = None
        tokenizer = replace(tokenizer, file="")
    return replace(model, decoder=decoder, tokenizer=tokenizer)


def _cut(model: AnyModel, scale: Scale, told: dict[str, None]) -> AnyModel:
    """Little of what is slow: rewards, and captions that are followed or drawn."""
    scst, generate, writing = model.scst, model.generate, scale.writing
    if scst.epochs:
        epochs, samples = min(scst.epochs, writing.rewarded), min(scst.samples, max(2, writing.samples))
        if epochs < scst.epochs:
            told[f"{counted(epochs, 'epoch')} of rewards for {scst.epochs}"] = None
        if samples < scst.samples:
            told[f"{samples} samples for {scst.samples}"] = None
        scst = replace(scst, epochs=epochs, samples=samples)
    for key, what in (("beams", "beams"), ("samples", "drafts")):
        asked: int = getattr(generate, key)
        if asked > writing.samples and _draws(generate.method, key):
            told[f"{writing.samples} {what} for {asked}"] = None
            generate = replace(generate, **{key: writing.samples})
    return replace(model, scst=scst, generate=generate)


def _draws(method: str, key: str) -> bool:
    """Whether a way of writing follows so many beams, or draws so many samples."""
    return method in (("beam", "mbr") if key == "beams" else ("sample", "mbr"))


def _measured_here(model: AnyModel, told: dict[str, None]) -> AnyModel:
    """Metrics by which is learnt or chosen."""
    train, scst, generate = model.train, model.scst, model.generate
    if train.score:
        train = replace(train, score=_measured(train.score, told))
    if scst.epochs:
        scst = replace(scst, metric=_measured(scst.metric, told))
    if generate.method == "mbr":
        generate = replace(generate, metric=_measured(generate.metric, told))
    return replace(model, train=train, scst=scst, generate=generate)


def _measured(metric: str, told: dict[str, None]) -> str:
    """The metric, or the one that takes its place where it needs what is not here."""
    if caption_metric(metric).why_not(Resources()) is None:
        return metric
    told[f"{_METRIC} for {metric}"] = None
    return _METRIC


def _chosen(model: AnyModel, scale: Scale, told: dict[str, None]) -> AnyModel:
    """How one caption is chosen or made of several, without models of others."""
    rerank, refine = model.rerank, model.refine
    if rerank.by == "consensus":
        rerank = replace(rerank, metric=_measured(rerank.metric, told))
    if rerank.model and not Path(rerank.model).is_dir():
        learnt = "an alignment learnt here" if rerank.by == "alignment" else "word vectors learnt here"
        told[f"{learnt} for {rerank.model}"] = None
        rerank = replace(rerank, model="")
    if refine.kind in _WORDLESS and not _is_here(refine):
        told[f"the draft that agrees most for {refine.model or refine.endpoint}"] = None
        refine = RefineSettings(kind=refine.kind, model="consensus")
    elif refine.kind != "none" and not _is_here(refine):
        told[f"not refined by {refine.model or refine.endpoint} ({refine.kind})"] = None
        refine = RefineSettings()
    elif refine.epochs > scale.writing.rewarded:
        told[f"{counted(scale.writing.rewarded, 'epoch')} of {refine.kind} for {refine.epochs}"] = None
        refine = replace(refine, epochs=scale.writing.rewarded)
    return replace(model, rerank=rerank, refine=refine)


def _is_here(refine: RefineSettings) -> bool:
    """Whether the model is a folder of this machine, and no endpoint has to be asked."""
    local = refine.model in BASES or refine.model == "consensus" or Path(refine.model).is_dir()
    return local and not refine.endpoint and bool(refine.model)
