"""Language models that are asked in words: a folder here, or an endpoint that was named."""

from radcap.captioning.language.generator import (
    GENERATORS,
    Question,
    Reply,
    TextGenerator,
    make_generator,
    text_model_folder,
)

__all__ = ["GENERATORS", "Question", "Reply", "TextGenerator", "make_generator", "text_model_folder"]
