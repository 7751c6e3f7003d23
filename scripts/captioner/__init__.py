"""The parts of scripts/build_captioner.py: each measures or shows one side of a shipped captioner."""
