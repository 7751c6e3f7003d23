"""What fine-tuning and asking a chat vision-language model costs; prints a small table.

    PYTHONPATH=src python3 benchmarks/chat_ways.py --geometry 2b --device cuda

The model has the geometry of Qwen2-VL-2B as published, in half precision with random weights, and low-rank
weights of rank 8 beside the attention of its language model; so nothing is downloaded, and its words mean
nothing. Pictures are noise, captions are made up from a few words: 20 on average, as in the challenge. The
training loop, the lesson and the way captions are asked for are radcap's own. `tiny` runs anywhere.
"""

from __future__ import annotations

import argparse
import resource
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from radcap.captioning.chats.adapters import add_adapter
from radcap.captioning.chats.chat import Chat, chat_of
from radcap.captioning.chats.geometries import learnt_tokenizer
from radcap.captioning.chats.questions import questions_of
from radcap.captioning.chats.writing import answers_of
from radcap.captioning.pretrained_settings import PretrainedSettings
from radcap.captioning.settings import CaptionTrainSettings, ConditionSettings, GenerateSettings
from radcap.captioning.training.chat_lessons import ChatFeed, ChatLesson
from radcap.detection.text.transformers_library import transformers_module
from radcap.detection.text.vlm import VisionLanguageModel
from radcap.detection.text.vlm_opening import place_dtype
from radcap.vision.pictures import View
from radcap.vision.pictures.pictures import DevicePixels, Pictures
from radcap.vision.settings import ImageSettings
from radcap.vision.training import PictureFeed, Place, learn, pick_place

SEED, RANK, WORDS = 2025, 8, 20
MARKS = ("<|endoftext|>", "<|im_end|>", "<|im_start|>", "<|vision_start|>", "<|vision_end|>")
IMAGE, FILM = "<|image_pad|>", "<|video_pad|>"
TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{% for c in m['content'] %}"
    "{% if c['type'] == 'image' %}<|vision_start|><|image_pad|><|vision_end|>{% else %}{{ c['text'] }}"
    "{% endif %}{% endfor %}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


@dataclass(frozen=True)
class Shape:
    """The tables of config.json that say how large a model is, and what it is trained with."""

    text: dict[str, Any]
    eyes: dict[str, Any]
    size: int  # pixels of a picture
    batch: int
    images: int
    asked: int  # pictures that are asked about at once
    longest: int


TWO_B = Shape(
    text={
        "vocab_size": 151936,
        "hidden_size": 1536,
        "intermediate_size": 8960,
        "num_hidden_layers": 28,
        "num_attention_heads": 12,
        "num_key_value_heads": 2,
        "max_position_embeddings": 32768,
        "rope_parameters": {"rope_type": "default", "mrope_section": [16, 24, 24], "rope_theta": 1000000.0},
    },
    eyes={
        "depth": 32,
        "embed_dim": 1280,
        "hidden_size": 1536,
        "num_heads": 16,
        "mlp_ratio": 4,
        "patch_size": 14,
        "spatial_merge_size": 2,
        "temporal_patch_size": 2,
    },
    size=448,
    batch=16,
    images=320,
    asked=64,
    longest=60,
)
TINY = Shape(
    text={
        "vocab_size": 512,
        "hidden_size": 32,
        "intermediate_size": 48,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "max_position_embeddings": 512,
        "rope_parameters": {"rope_type": "default", "mrope_section": [1, 1, 2], "rope_theta": 10000.0},
    },
    eyes={
        "depth": 2,
        "embed_dim": 16,
        "hidden_size": 32,
        "num_heads": 2,
        "mlp_ratio": 2,
        "patch_size": 4,
        "spatial_merge_size": 2,
        "temporal_patch_size": 2,
    },
    size=32,
    batch=4,
    images=8,
    asked=4,
    longest=8,
)
SHAPES = {"2b": TWO_B, "tiny": TINY}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--geometry", choices=SHAPES, default="tiny")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--batch", type=int, default=0)
    parser.add_argument("--size", type=int, default=0, help="pixels of a picture")
    asked = parser.parse_args()
    shape, place = SHAPES[asked.geometry], pick_place(asked.device)
    size, batch = asked.size or shape.size, asked.batch or shape.batch
    captions = made_up(shape.images)
    chat, built_s = built(shape, place, captions)
    feed = fed(chat, captions, size)
    rows = [
        ("device", name_of(place)),
        ("weights, of which learn", f"{weights(chat):,}, {weights(chat, learn=True):,}"),
        ("built", f"{built_s:.1f} s"),
        *trained(chat, feed, batch),
        *written(chat, feed, shape),
        ("most memory", f"{most_memory(place):.1f} GB"),
    ]
    width = max(len(name) for name, _ in rows)
    print("\n".join(f"{name:<{width}}  {value}" for name, value in rows))


def made_up(count: int) -> list[str]:
    """Captions of words that come and go."""
    lots = torch.Generator().manual_seed(SEED)
    words = ("axial", "CT", "MRI", "of", "the", "chest", "with", "a", "small", "lesion", "in", "left", "lobe")
    counts = torch.randint(WORDS - 8, WORDS + 9, (count,), generator=lots).tolist()
    picked = (torch.randint(len(words), (one,), generator=lots).tolist() for one in counts)
    return [" ".join(words[number] for number in some) + "." for some in picked]


def built(shape: Shape, place: Place, captions: list[str]) -> tuple[Chat, float]:
    """The chat with its low-rank weights, and the seconds that took."""
    transformers, started = transformers_module(), time.perf_counter()
    tokenizer = learnt_tokenizer(captions, 400, (*MARKS, IMAGE, FILM))
    tokenizer.padding_side = "left"
    numbers = dict(zip(("pad", "eos", "bos"), (0, 1, 0), strict=True))
    ids = {f"{name}_token_id": number for name, number in numbers.items()}
    marks = {"image": IMAGE, "video": FILM, "vision_start": MARKS[3], "vision_end": MARKS[4]}
    config = transformers.Qwen2VLConfig(
        text_config={**shape.text, **ids, "tie_word_embeddings": True},
        vision_config=shape.eyes,
        tie_word_embeddings=True,
        **{f"{name}_token_id": tokenizer.convert_tokens_to_ids(mark) for name, mark in marks.items()},
    )
    cut = {
        "patch_size": shape.eyes["patch_size"],
        "merge_size": shape.eyes["spatial_merge_size"],
        "temporal_patch_size": shape.eyes["temporal_patch_size"],
    }
    processor = transformers.Qwen2VLProcessor(
        transformers.Qwen2VLImageProcessor(**cut, min_pixels=16 * 16, max_pixels=2**22),
        tokenizer,
        transformers.Qwen2VLVideoProcessor(**cut),
        chat_template=TEMPLATE,
    )
    before = torch.get_default_dtype()
    torch.set_default_dtype(place_dtype(place))
    torch.manual_seed(SEED)
    with torch.device(place.device):
        model = transformers.Qwen2VLForConditionalGeneration(config)
    torch.set_default_dtype(before)
    model.generation_config.eos_token_id, model.generation_config.pad_token_id = 1, 0
    chat = chat_of(VisionLanguageModel(processor, model.eval(), "qwen2_vl", place, Path("made up")))
    adapted = add_adapter(chat.model, PretrainedSettings(lora=RANK))
    return chat.over(adapted.get_base_model()), time.perf_counter() - started


def fed(chat: Chat, captions: list[str], size: int) -> ChatFeed:
    """Pictures of noise with the captions as answers."""
    lots, count = torch.Generator().manual_seed(SEED), len(captions)
    squares = torch.randint(256, (count, size, size, 3), dtype=torch.uint8, generator=lots)
    ids = tuple(map(str, range(count)))
    boxes = torch.tensor([[0.0, 0.0, size, size]]).expand(count, -1)
    pictures = Pictures(ids, DevicePixels(squares), boxes, View(ImageSettings(size=size)))
    condition = ConditionSettings(prompt="{image} Describe the medical image.")
    answers = [[*chat.tokenizer.encode(one), chat.tokenizer.end] for one in captions]
    return ChatFeed(
        PictureFeed(pictures, torch.zeros(count, 1)),
        answers,
        captions,
        questions_of(condition, {}),
        condition,
    )


def trained(chat: Chat, feed: ChatFeed, batch: int) -> list[tuple[str, str]]:
    """Two epochs, of which the second is measured; a step of the processor is measured by itself."""
    lesson = ChatLesson(chat, feed)
    settings = CaptionTrainSettings(epochs=2, batch=batch, lr=1e-4, schedule="constant", keep="last")
    rows = learn(chat.model, lesson, settings, chat.place).history.rows
    started, places = time.perf_counter(), torch.arange(min(batch, len(feed)))
    questions = [feed.questions.question(one) for one in feed.briefs(places, None)]
    answers = [feed.answers[int(row)] for row in places]
    answered = chat.answered(feed.pixels(places, None), questions, answers)
    wait(chat.place)
    prepared = time.perf_counter() - started
    tokens = float(answered.given["attention_mask"].sum()) / len(places)
    told = float((answered.targets >= 0).sum()) / len(places)
    speed = rows[-1].images_per_s
    return [
        ("batch, tokens of an image with its words", f"{batch}, {tokens:.0f} ({told:.0f} are learnt)"),
        ("training", f"{speed:.1f} images/s, {speed * tokens:,.0f} tokens/s"),
        ("of a step, preparing pictures", f"{prepared * 1000:.0f} ms of {batch / speed * 1000:.0f} ms"),
        ("loss", f"{rows[0].loss:.3f}, then {rows[-1].loss:.3f}"),
    ]


@torch.inference_mode()
def written(chat: Chat, feed: ChatFeed, shape: Shape) -> list[tuple[str, str]]:
    """Greedy captions of a batch."""
    places = torch.arange(min(shape.asked, len(feed)))
    questions = [feed.questions.question(one) for one in feed.briefs(places, None)]
    settings = GenerateSettings(method="greedy", longest=shape.longest, shortest=shape.longest)
    seconds = 0.0
    for _ in range(2):  # kernels are picked before the clock runs
        started = time.perf_counter()
        answers_of(chat, chat.asked(feed.pixels(places, None), questions), settings)
        wait(chat.place)
        seconds = time.perf_counter() - started
    count = len(places)
    tokens = count * (shape.longest + 1)
    return [
        (
            f"asking, {count} at once, {shape.longest} tokens each",
            f"{count / seconds:.1f} images/s, {tokens / seconds:,.0f} tokens/s",
        )
    ]


def weights(chat: Chat, *, learn: bool = False) -> int:
    return sum(one.numel() for one in chat.model.parameters() if one.requires_grad or not learn)


def most_memory(place: Place) -> float:
    if place.device.type == "cuda":
        return torch.cuda.max_memory_allocated() / 1e9
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def name_of(place: Place) -> str:
    return f"{torch.cuda.get_device_name() if place.device.type == 'cuda' else 'CPU'}, {place.precision}"


def wait(place: Place) -> None:
    if place.device.type == "cuda":
        torch.cuda.synchronize()


if __name__ == "__main__":
    main()
