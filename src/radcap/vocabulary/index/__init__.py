"""The compiled form of a vocabulary: arrays in one file that is mapped into memory."""
