"""From text to mentions of concepts."""
