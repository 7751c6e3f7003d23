"""The parts of `build_radiology_open.py` that compose captions from answers and labels."""
