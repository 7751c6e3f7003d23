"""The parts of the study of explanations: models that are trained for it, and what is measured of them."""
