"""Parquet with the image inside: our own form, and that of Hugging Face."""
