"""An image encoder under a language model that looks at it: transformers' VisionEncoderDecoder.

ViT + GPT-2 as the ROCOv2 baseline has it, CvT or DeiT + DistilGPT2, ViT + BERT. A folder holds the whole of
it, or two folders hold its sides: cross-attention is then new.
"""

# transformers is typed in part
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from radcap.captioning.base_models.pretrained import load_model, transformers_module
from radcap.captioning.decoders.cross_decoder import cross_decoder
from radcap.captioning.generation import Marks
from radcap.captioning.pretrained.family import Family, Told, Whole
from radcap.captioning.pretrained.writer import PretrainedWriter
from radcap.core import InputError
from radcap.vision.backbones.hugging_face import load_tower
from radcap.vision.transformers_library import quiet

if TYPE_CHECKING:
    from pathlib import Path

    from radcap.captioning.decoders import Decoder
    from radcap.captioning.settings import DecoderSettings
    from radcap.captioning.tokens import Tokenizer

__all__ = ["EncoderDecoder"]

_NEW = ("cross", "encoder_attn")  # what the names of weights of cross-attention have in them
_SHAPES = {"tiny": (32, 2, 2), "small": (256, 4, 4)}  # width, layers, heads


class EncoderDecoder(Family):
    """The kind `encoder-decoder`."""

    model_type = "vision-encoder-decoder"
    architecture = "VisionEncoderDecoderModel"
    tower = "encoder"
    idle = ("encoder.pooler.",)
    low_rank = tuple(f"decoder.*.{one}" for one in ("c_attn", "q_attn", "query", "value", "q_proj", "v_proj"))

    def load(self, folder: Path) -> Whole:
        whole = super().load(folder)
        _check_looks(whole.model.decoder, folder)
        return whole

    def compose(self, eyes: Path, text: Path) -> Whole:
        transformers = transformers_module()
        encoder = load_tower(eyes)
        if not hasattr(encoder.config, "hidden_size"):  # those of stages have a width for each
            widths = getattr(encoder.config, "embed_dim", None) or encoder.config.hidden_sizes
            encoder.config.hidden_size = widths[-1]
        decoder, fresh = load_model(
            text,
            "AutoModelForCausalLM",
            "a causal language model",
            new=_NEW,
            changes={"is_decoder": True, "add_cross_attention": True},
        )
        _check_looks(decoder, text)
        with quiet(transformers):
            model = transformers.VisionEncoderDecoderModel(encoder=encoder, decoder=decoder)
        fresh = {f"decoder.{name}" for name in fresh}
        fresh |= {name for name, _ in model.named_parameters() if name.startswith("enc_to_dec_proj.")}
        return Whole(model.eval(), frozenset(fresh))

    def text(self, config: Any) -> Any:  # noqa: ANN401 - transformers' own
        return getattr(config, "decoder", config)

    def marks(self, told: Told, tokenizer: Tokenizer) -> Marks:
        begin = told.first("decoder_start_token_id", "bos_token_id")
        end, pad = told.first("eos_token_id"), told.first("pad_token_id")
        return Marks(
            tokenizer.pad if pad is None else pad,
            tokenizer.begin if begin is None else begin,
            tokenizer.end if end is None else end,
        )

    def decoder(self, model: Any) -> Decoder:  # noqa: ANN401 - as above
        text = model.config.decoder
        sees = getattr(text, "cross_attention_hidden_size", None) or text.hidden_size
        return cross_decoder(model.decoder, text.vocab_size, sees)

    def writer(
        self,
        model: Any,  # noqa: ANN401 - as above
        decoder: Decoder,
        seen: int,
        labels: int,
        *,
        pad: int,
        grid: int,
    ) -> PretrainedWriter:
        project = getattr(model, "enc_to_dec_proj", None)
        return PretrainedWriter(decoder, seen, labels, pad=pad, grid=grid, project=project)

    def drawn(self, geometry: str, settings: DecoderSettings, tokenizer: Tokenizer) -> Decoder:
        transformers = transformers_module()
        width, layers, heads = _SHAPES[geometry]
        config = transformers.GPT2Config(
            vocab_size=tokenizer.size,
            n_positions=settings.longest + 2,
            n_embd=width,
            n_layer=layers,
            n_head=heads,
            resid_pdrop=settings.drop,
            embd_pdrop=settings.drop,
            attn_pdrop=settings.drop,
            bos_token_id=tokenizer.begin,
            eos_token_id=tokenizer.end,
            is_decoder=True,
            add_cross_attention=True,
        )
        return cross_decoder(transformers.GPT2LMHeadModel(config), tokenizer.size, width)


def _check_looks(decoder: Any, folder: Path) -> None:  # noqa: ANN401 - as above
    """Whether the text side can look at an image at all."""
    if not any(mark in name for name, _ in decoder.named_parameters() for mark in _NEW):
        held = f"{folder} holds a {type(decoder).__name__} without cross-attention"
        raise InputError(
            f"{held}, so it cannot look at an image."
            ' Give one that can have it, like GPT-2 or BERT, or write [decoder] kind = "lm".',
            path=str(folder),
        )
