"""Chat vision-language models as captioners: any that transformers opens for images and text.

A chat is shown the picture inside of a user's words, and its answer is the caption.
"""
