"""The parts of scripts/build_detector.py: each makes or measures one part of the shipped detector."""
