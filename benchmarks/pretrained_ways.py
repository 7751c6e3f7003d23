"""What a published encoder-decoder costs, radcap beside transformers' own `generate`, in one process.

    PYTHONPATH=src python benchmarks/pretrained_ways.py --size base --device cuda

ViT-B/16 under GPT-2-small with random weights, written as a published folder: nothing is downloaded. Captions
are those of radiology-open, in single letters so that each has as many tokens as are wanted. Invariant: both
ways have the same weights and images, and write the same number of tokens. Prints one JSON value.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, cast

import torch

from radcap.captioning.models import open_captioner
from radcap.captioning.pretrained_settings import PretrainedSettings
from radcap.captioning.settings import (
    CaptionDataSettings,
    CaptionLossSettings,
    CaptionTrainSettings,
    DecoderSettings,
    GenerateSettings,
)
from radcap.captioning.system import CaptionSystem
from radcap.captioning.training import train_captions
from radcap.datasets import load_dataset
from radcap.vision.pictures.streaming import stream
from radcap.vision.settings import ImageSettings
from radcap.vision.transformers_library import open_transformers, quiet

if TYPE_CHECKING:
    from radcap.captioning.models.writer_model import WriterModel
    from radcap.datasets import Dataset
    from radcap.vision.pictures.streaming import Shot

MARKS = ("<|endoftext|>",)
BEAMS = 4


@dataclass(frozen=True, slots=True)
class Size:
    """What is measured: the geometry, and how much of it."""

    pixels: int
    patch: int
    width: int
    layers: int
    heads: int
    vocabulary: int
    tokens: int  # of a caption that is learnt
    written: int  # tokens of a caption that is written
    batch: int
    images: int  # that are learnt from
    asked: int  # that are written about, at once `together`
    together: int
    alone: int  # that the plain loop writes about
    epochs: int


SIZES = {
    "tiny": Size(32, 8, 32, 2, 2, 300, 16, 8, 8, 24, 16, 8, 2, 2),
    "base": Size(224, 16, 768, 12, 12, 50_257, 64, 40, 256, 4_000, 2_048, 512, 12, 5),
}


def write_folder(folder: Path, size: Size) -> Path:
    """A VisionEncoderDecoder with random weights, as transformers saves it."""
    transformers = open_transformers("A model is made.", "train")
    shape = {"hidden_size": size.width, "num_hidden_layers": size.layers, "num_attention_heads": size.heads}
    vision = transformers.ViTConfig(
        image_size=size.pixels, patch_size=size.patch, intermediate_size=4 * size.width, **shape
    )
    end = size.vocabulary - 1
    text = transformers.GPT2Config(
        vocab_size=size.vocabulary, n_embd=size.width, n_layer=size.layers, n_head=size.heads,
        n_positions=256, add_cross_attention=True, is_decoder=True, bos_token_id=end, eos_token_id=end,
    )  # fmt: skip
    config = transformers.VisionEncoderDecoderConfig.from_encoder_decoder_configs(vision, text)
    torch.manual_seed(0)
    model = transformers.VisionEncoderDecoderModel(config)
    told = model.generation_config
    told.decoder_start_token_id = told.eos_token_id = told.pad_token_id = end
    with quiet(transformers):
        model.save_pretrained(folder)
    scaling = {"do_rescale": True, "do_normalize": True, "image_mean": [0.5] * 3, "image_std": [0.5] * 3}
    scaling |= {
        "size": {"height": size.pixels, "width": size.pixels},
        "image_processor_type": "ViTImageProcessor",
    }
    (folder / "preprocessor_config.json").write_text(json.dumps(scaling))
    _write_letters(folder, size)
    return folder


def _write_letters(folder: Path, size: Size) -> None:
    """A tokenizer of single bytes, with so many tokens more that no caption has."""
    from tokenizers import Tokenizer, models, pre_tokenizers
    from tokenizers.decoders import ByteLevel

    pieces = [*sorted(pre_tokenizers.ByteLevel.alphabet())]
    pieces += [f"<unused {number}>" for number in range(size.vocabulary - len(pieces) - 1)] + [*MARKS]
    made = Tokenizer(models.BPE({one: number for number, one in enumerate(pieces)}, []))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = ByteLevel()
    made.save(str(folder / "tokenizer.json"))
    names = dict.fromkeys(("bos_token", "eos_token", "pad_token"), MARKS[0])
    (folder / "tokenizer_config.json").write_text(json.dumps(names))


def system_of(folder: Path, size: Size, device: str, *, compiled: bool) -> CaptionSystem:
    return CaptionSystem(
        name="ways",
        task="captions",
        data=CaptionDataSettings(captions="composed", held="none"),
        image=ImageSettings(size=size.pixels, fit="squash"),
        decoder=DecoderSettings(kind="encoder-decoder", longest=size.tokens),
        pretrained=PretrainedSettings(model=str(folder)),
        loss=CaptionLossSettings(smoothing=0.0),
        train=CaptionTrainSettings(
            epochs=size.epochs, batch=size.batch, lr=1e-4, device=device, compile=compiled, keep="last"
        ),
        generate=GenerateSettings(
            method="beam", beams=BEAMS, shortest=size.written, longest=size.written, no_repeat=3
        ),
    )


def learnt(dataset: Dataset, folder: Path, out: Path, size: Size, device: str, *, compiled: bool) -> float:
    """Pairs of image and caption a second, the median of the epochs after the first."""
    train_captions(system_of(folder, size, device, compiled=compiled), dataset, out)
    rows = (out / "log.csv").read_text().splitlines()
    column = rows[0].split(",").index("images_per_s")
    return median(float(row.split(",")[column]) for row in rows[2:])


def shots_of(model: WriterModel, dataset: Dataset, size: Size) -> list[Shot]:
    return list(stream(dataset[: size.asked], model.eyes.view, size.together))


@torch.inference_mode()
def written(model: WriterModel, shots: list[Shot]) -> float:
    """Captions a second, from decoded pixels."""
    eyes = model.eyes
    device = eyes.place.device

    def all_of_them() -> int:
        count = 0
        for shot in shots:
            images = eyes.view(shot.squares.to(device), shot.boxes.to(device), half=eyes.place.half)
            with eyes.place.autocast():
                features = eyes.looker(images).float()
            count += len(model.lines(eyes.sight(shot.ids, features, features)))
        return count

    all_of_them()
    began = _now(device)
    count = all_of_them()
    return count / (_now(device) - began)


@torch.inference_mode()
def written_alone(folder: Path, shots: list[Shot], size: Size, device: str) -> float:
    """Captions a second of transformers' own `generate`, an image at a time."""
    transformers = open_transformers("The plain way.", "train")
    kind = torch.bfloat16 if device == "cuda" else torch.float32
    with quiet(transformers):
        model = transformers.VisionEncoderDecoderModel.from_pretrained(folder, dtype=kind).to(device).eval()
    images = (shots[0].squares[: size.alone].permute(0, 3, 1, 2).expand(-1, 3, -1, -1) / 127.5 - 1).to(
        device, kind
    )

    def one(image: torch.Tensor) -> None:
        model.generate(
            pixel_values=image[None], num_beams=BEAMS, do_sample=False, no_repeat_ngram_size=3,
            min_new_tokens=size.written, max_new_tokens=size.written,
        )  # fmt: skip

    one(images[0])
    began = _now(torch.device(device))
    for image in images:
        one(image)
    return len(images) / (_now(torch.device(device)) - began)


def _now(device: torch.device) -> float:
    if device.type == "cuda":
        torch.cuda.synchronize()
    return time.perf_counter()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", choices=SIZES, default="tiny")
    parser.add_argument("--device", default="cpu")
    asked = parser.parse_args()
    size, device = SIZES[asked.size], asked.device
    dataset = load_dataset("radiology-open", split="train")[: size.images]
    told: dict[str, Any] = {"size": asdict(size), "device": device}
    if device == "cuda":
        told["device"] = torch.cuda.get_device_name()
    with tempfile.TemporaryDirectory() as place:
        folder = write_folder(Path(place) / "published", size)
        out = Path(place) / "model"
        told["learn"] = {"plain": learnt(dataset, folder, out, size, device, compiled=False)}
        if device == "cuda":
            told["peak_gb"] = torch.cuda.max_memory_allocated() / 1e9
            out = Path(place) / "compiled"
            told["learn"]["compiled"] = learnt(dataset, folder, out, size, device, compiled=True)
        model = cast("WriterModel", open_captioner(out, device))
        shots = shots_of(model, dataset, size)
        told["write"] = {
            "radcap": written(model, shots),
            "alone": written_alone(out / "pretrained", shots, size, device),
        }
    print(json.dumps(told))


if __name__ == "__main__":
    main()
