"""Put the shipped detector together, measure it, and write its card.

    python scripts/build_detector.py --weights F.safetensors --held S.npz --recipe recipe.json
        --others FOLDER --left-out FOLDER --out src/radcap/zoo/concepts

`--weights` is the network trained on train and valid; `--held` the logits (`valid`) of the same recipe on train
alone, on which the calibration is fitted; `--others` a folder with images.tar of figures that are no radiology
images; `--left-out` the logits of networks that were trained without one source.
Invariant: test images decide nothing here; they are scored once, after everything else is fixed.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import tarfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from PIL import Image

from radcap.core import MODALITIES, NAMES, VERSION
from radcap.datasets import Dataset, load_dataset
from radcap.detection.calibration import Calibration, brier, ece, fit_calibration, reliability
from radcap.detection.decisions import Decision, cross_fit, fit_rule, sample_f1
from radcap.detection.examples import label_matrix, label_set, learnable
from radcap.detection.models import ModelFolder, open_model
from radcap.detection.models.network_model import NetworkModel
from radcap.detection.system import ConceptSystem
from radcap.stats import percentile_interval, resampled_means
from radcap.systems import read_system
from radcap.vision.pictures.streaming import stream
from radcap.vision.weight_files import read_weight_file, write_weight_file

SYSTEM = "radcap/detector-concepts"
GATE_SEED, RADIOLOGY_FOR_GATE = 0, 1500
Floats = np.ndarray


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("weights", "held", "recipe", "others", "left-out", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    asked = parser.parse_args()
    system = read_system(SYSTEM)
    data = load_dataset("radiology-open")
    folder = ModelFolder(asked.out)
    labels = write_parts(folder, system, data, asked.weights, asked.held)
    exact = logits_of(open_exact(asked.weights, folder), data.split("test"))
    model = open_model(folder.path, "cpu")
    gate = build_gate(model, data, asked.others, folder)
    model = open_model(folder.path, "cpu")
    card = card_of(system, json.loads(asked.recipe.read_text()), folder, data, labels)
    card |= measured(model, data, labels, exact)
    card["not_radiology"] = gate
    card["left_out_sources"] = left_out(asked.left_out, data, labels)
    folder.write_card(card)
    print(json.dumps({key: card[key] for key in ("test", "not_radiology", "left_out_sources")}, indent=1))


def write_parts(
    folder: ModelFolder, system: ConceptSystem, data: Dataset, weights: Path, held: Path
) -> tuple[str, ...]:
    """Everything but the gate and the card; a placeholder card makes the folder one that opens."""
    train, valid = learnable(data.split("train"), system.data), data.split("valid")
    labels = label_set(train, system.data)
    truth = label_matrix(valid, labels)
    logits = np.load(held)["valid"].astype(np.float32)
    calibrator = fit_calibration(system.calibration, logits, truth, labels)
    rule = fit_rule(
        system.decision, calibrator(logits), truth, labels, train_truth=label_matrix(train, labels)
    )
    folder.write_system(system)
    folder.write_labels(labels, data.names)
    folder.write_decision(calibrator, rule)
    write_weight_file(read_weight_file(weights), folder.weights, "int8")
    folder.gate.unlink(missing_ok=True)
    folder.write_card({})
    return labels


def open_exact(weights: Path, folder: ModelFolder) -> NetworkModel:
    """The network before its weights were rounded to eight bits."""
    model = open_model(folder.path, "cpu")
    assert isinstance(model, NetworkModel)
    from radcap.vision.folding import fold
    from radcap.vision.network import make_network

    system = folder.system()
    network = make_network(system.backbone, system.head, len(model.labels), size=system.image.size, weights=False)
    network.load_state_dict(read_weight_file(weights))
    return replace(model, network=fold(network.eval()))


def logits_of(model: Any, data: Dataset) -> Floats:
    return model.answers(data).logits


def vectors_of(model: Any, data: Dataset) -> Floats:
    """What the gate looks at, for images of a dataset."""
    found = [model._look(shot)[1] for shot in stream(data, model.view, 16) if shot.ids]
    return np.concatenate(found)


def build_gate(model: Any, data: Dataset, others: Path, folder: ModelFolder) -> dict[str, Any]:
    """A logistic layer on the detector's vectors: radiology or not. Fitted, cut and measured on three parts."""
    chance = np.random.default_rng(GATE_SEED)
    train = data.split("train")
    free = learnable(train, read_system(SYSTEM).data)
    some = np.sort(chance.choice(len(free), RADIOLOGY_FOR_GATE, replace=False))
    figures, names = other_vectors(model, others)
    part = np.array([hashlib.sha256(one.encode()).digest()[0] % 10 for one in names])
    yes = {"train": vectors_of(model, free.take(some)), "valid": vectors_of(model, data.split("valid"))}
    yes["test"] = vectors_of(model, data.split("test"))
    no = {"train": figures[part < 6], "valid": figures[(part >= 6) & (part < 8)], "test": figures[part >= 8]}
    weight, bias = logistic(yes["train"], no["train"])
    scores = {name: (yes[name] @ weight + bias, no[name] @ weight + bias) for name in yes}
    shift = even_cut(*scores["valid"])
    write_weight_file({"weight": torch.from_numpy(weight), "bias": torch.tensor([bias - shift])}, folder.gate, "fp32")
    good, bad = (scores["test"][0] - shift, scores["test"][1] - shift)
    return {
        "licence": "CC BY-NC-SA 4.0 (gate.safetensors alone: it was fitted with figures under these terms)",
        "data": "2,399 figures of OpenStax textbooks that are no radiology images, against radiology-open",
        "threshold": 0.5,
        "test": {
            "radiology_images": len(good),
            "radiology_refused": float((good < 0).mean()),
            "other_images": len(bad),
            "others_taken_for_radiology": float((bad >= 0).mean()),
            "auc": auc(good, bad),
        },
    }


def other_vectors(model: Any, folder: Path) -> tuple[Floats, list[str]]:
    """The vectors of the figures in a tar."""
    from radcap.datasets.images.letterbox import ROW, letterbox
    from radcap.vision.pictures.streaming import Shot

    names: list[str] = []
    found: list[Floats] = []
    with tarfile.open(folder / "images.tar") as tar:
        members = [one for one in tar if one.isfile()]
        for start in range(0, len(members), 16):
            chunk = members[start : start + 16]
            squares = np.zeros((len(chunk), model.view.side, model.view.side, 3), np.uint8)
            rows = np.zeros(len(chunk), ROW)
            for place, one in enumerate(chunk):
                letterbox(tar.extractfile(one).read(), one.name, squares[place], rows[place : place + 1])  # type: ignore[union-attr]
            kept = rows["code"] == 0
            boxes = torch.from_numpy(rows["box"][kept]).float()
            shot = Shot(tuple(one.name for one in chunk), torch.from_numpy(squares[kept]), boxes)
            found.append(model._look(shot)[1])
            names += [one.name for one, fine in zip(chunk, kept.tolist(), strict=True) if fine]
    return np.concatenate(found), names


def logistic(yes: Floats, no: Floats, penalty: float = 1e-3) -> tuple[Floats, float]:
    """Balanced logistic regression by L-BFGS."""
    x = torch.from_numpy(np.concatenate([yes, no])).double()
    y = torch.cat([torch.ones(len(yes)), torch.zeros(len(no))]).double()
    balance = torch.where(y > 0, 0.5 / len(yes), 0.5 / len(no))
    w = torch.zeros(x.shape[1] + 1, dtype=torch.double, requires_grad=True)
    solver = torch.optim.LBFGS([w], max_iter=300, line_search_fn="strong_wolfe")

    def loss() -> torch.Tensor:
        solver.zero_grad()
        z = x @ w[:-1] + w[-1]
        value = (balance * torch.nn.functional.binary_cross_entropy_with_logits(z, y, reduction="none")).sum()
        value = value + penalty * w[:-1].square().sum()
        value.backward()
        return value

    solver.step(loss)
    return w[:-1].detach().float().numpy(), float(w[-1].detach())


def even_cut(yes: Floats, no: Floats) -> float:
    """Where as large a part of either kind falls on the wrong side."""
    cuts = np.sort(np.concatenate([yes, no]))
    wrong = [abs((yes < cut).mean() - (no >= cut).mean()) for cut in cuts]
    best = int(np.argmin(wrong))
    return float((cuts[best] + cuts[max(best - 1, 0)]) / 2)


def auc(yes: Floats, no: Floats) -> float:
    order = np.argsort(np.concatenate([no, yes]), kind="stable")
    ranks = np.empty(len(order))
    ranks[order] = np.arange(1, len(order) + 1)
    return float((ranks[len(no) :].sum() - len(yes) * (len(yes) + 1) / 2) / (len(yes) * len(no)))


def measured(model: Any, data: Dataset, labels: tuple[str, ...], exact: Floats) -> dict[str, Any]:
    """Everything that the test split is asked, once."""
    test = data.split("test")
    answers = model.answers(test)
    every = tuple(sorted({cui for cuis in test.column("cui").to_pylist() for cui in cuis} | set(labels)))
    truth = label_matrix(test, every)
    decided = widened(answers.decided, labels, every)
    seen = label_matrix(test, labels)
    whole = figures(decided, truth, every)
    exact_p = model.calibrator(exact)
    exact_f1 = figures(widened(model.rule(exact_p), labels, every), truth, every)
    masked = model.answers(test_without_marks(test))
    slices = {
        "by_modality": slices_of(test.column("modality").to_pylist(), decided, truth, every),
        "by_source": slices_of(test.column("source").to_pylist(), decided, truth, every),
    }
    table = reliability(answers.probabilities, seen)
    return {
        "test": {
            **whole,
            **slices,
            "modality_accuracy": modality_accuracy(answers.logits, labels, test),
            "labels_not_learnt": len(every) - len(labels),
            "calibration": {
                "ece": float(ece(answers.probabilities, seen)),
                "brier": float(brier(answers.probabilities, seen)),
                "bins": [
                    {"n": int(n), "mean_p": float(p), "observed": float(o)}
                    for n, p, o in zip(table.counts, table.mean_probability, table.observed, strict=True)
                    if n
                ],
            },
            "eight_bits": {
                "f1_in_full_precision": exact_f1["f1"]["value"],
                "largest_change_of_a_logit": float(np.abs(answers.logits - exact).max()),
            },
            "without_marks_of_the_publisher": {
                **figures(widened(masked.decided, labels, every), truth, every),
                "what": "the corner of the MedPix watermark and the strip of the line below painted over, VQA-Med only",
            },
        }
    }


def widened(decided: Floats, labels: tuple[str, ...], every: tuple[str, ...]) -> Floats:
    wide = np.zeros((len(decided), len(every)), np.bool_)
    wide[:, [every.index(cui) for cui in labels]] = decided
    return wide


def figures(decided: Floats, truth: Floats, every: tuple[str, ...]) -> dict[str, Any]:
    manual = [place for place, cui in enumerate(every) if cui in NAMES]
    return {
        "n": len(decided),
        "f1": interval(sample_f1(decided, truth)),
        "f1_manual": interval(sample_f1(decided[:, manual], truth[:, manual])),
    }


def interval(values: Floats) -> dict[str, float]:
    found = percentile_interval(resampled_means(values[:, None], resamples=2000, seed=0)[:, 0], 0.95)
    return {"value": float(values.mean()), "low": found.low, "high": found.high}


def slices_of(names: list[str], decided: Floats, truth: Floats, every: tuple[str, ...]) -> dict[str, Any]:
    kinds = np.array(names)
    return {one: figures(decided[kinds == one], truth[kinds == one], every) for one in sorted(set(names))}


def modality_accuracy(logits: Floats, labels: tuple[str, ...], data: Dataset) -> float:
    columns = [place for place, cui in enumerate(labels) if cui in MODALITIES]
    truth = label_matrix(data, labels)[:, columns]
    one = truth.sum(axis=1) == 1
    return float((logits[:, columns].argmax(axis=1) == truth.argmax(axis=1))[one].mean())


def test_without_marks(data: Dataset) -> Dataset:
    """The same images with the places of the publisher's marks painted over."""
    from radcap.datasets.stores import ImageStore

    inner = data.images
    marked = {key for key, source in zip(data.column("image").to_pylist(), data.column("source").to_pylist(), strict=True) if source == "VQA-Med-2019"}

    class Painted:
        def read(self, key: str) -> bytes:
            held = inner.read(key)
            if key not in marked:
                return held
            image = Image.open(io.BytesIO(held)).convert("RGB")
            pixels = np.array(image)
            high, wide = pixels.shape[:2]
            pixels[: round(0.1 * high), round(0.55 * wide) :] = 0
            pixels[round(0.9 * high) :] = 0
            out = io.BytesIO()
            Image.fromarray(pixels).save(out, "PNG")
            return out.getvalue()

        def name(self, key: str) -> str:
            return f"{Path(inner.name(key)).stem}.png" if key in marked else inner.name(key)

        def path(self, key: str) -> Path | None:
            return None

    return replace(data, images=Painted())


def left_out(folder: Path, data: Dataset, labels: tuple[str, ...]) -> dict[str, Any]:
    """How well a network names the modality of a source it never saw: pooled over CT, MRI, X-ray, ultrasound."""
    wanted = ("C0040405", "C0024485", "C1306645", "C0041618")
    columns = [place for place, cui in enumerate(labels) if cui in MODALITIES]
    names = [labels[place] for place in columns]
    ids = {one: place for place, one in enumerate(data.ids)}
    truth = label_matrix(data, labels)[:, columns]
    found: dict[str, Any] = {}
    for file in sorted(folder.glob("loso-*.npz")):
        held = np.load(file)
        rows = [ids[one] for one in held["ids"].tolist()]
        right = truth[rows]
        told = held["logits"][:, columns].astype(np.float32).argmax(axis=1)
        true = right.argmax(axis=1)
        kept = (right.sum(axis=1) == 1) & np.isin(np.array(names)[true], wanted)
        source = data.column("source").to_pylist()[rows[0]]
        found[source] = {"n": int(kept.sum()), "accuracy": float((told == true)[kept].mean())}
    total = sum(one["n"] for one in found.values())
    pooled = sum(one["n"] * one["accuracy"] for one in found.values()) / total
    return {"sources": found, "pooled": {"n": total, "accuracy": pooled}}


def card_of(
    system: ConceptSystem, recipe: dict[str, Any], folder: ModelFolder, data: Dataset, labels: tuple[str, ...]
) -> dict[str, Any]:
    seen = [learnable(data.split(one), system.data) for one in ("train", "valid")]
    digest = hashlib.sha256()
    for part in seen:
        digest.update("\n".join(part.ids).encode())
        digest.update(np.packbits(label_matrix(part, labels)).tobytes())
    sources: dict[str, int] = {}
    for part in seen:
        for one in part.column("source").to_pylist():
            sources[one] = sources.get(one, 0) + 1
    return {
        "name": "zoo:concepts",
        "task": "concepts",
        "radcap": VERSION,
        "licence": "CC BY 4.0; gate.safetensors CC BY-NC-SA 4.0",
        "attribution": "Trained on radiology-open (attribution of each image in its file); starts from the"
        " ImageNet weights of EfficientNet-Lite (Apache-2.0).",
        "labels": len(labels),
        "size_bytes": {"model.safetensors": folder.weights.stat().st_size},
        "data": {
            "name": "radiology-open, rows without NC or SA terms",
            "train": len(seen[0]),
            "valid": len(seen[1]),
            "sources": sources,
            "fingerprint": digest.hexdigest(),
        },
        **recipe,
        "intended_use": "Research: a first look at the modality, region and frequent findings of a radiology image."
        " Not for diagnosis, and not a medical device.",
        "limits": [
            "It cannot name optical coherence tomography (no image in its data), PET/CT, and hardly PET and"
            " scintigraphy (4 and 17 images): such an image is given another modality.",
            "Organ and disease labels of most training images are per case, so about one in ten is not visible.",
            "Source and modality are correlated in its data; see left_out_sources for unseen sources.",
            "Angiography is almost only coronary angiograms of one source.",
            "Groups of the dataset are a rule, so about 2 % of cases may stand in train and in test.",
        ],
    }


if __name__ == "__main__":
    main()
