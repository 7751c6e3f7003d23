"""Tar files of the WebDataset form."""
