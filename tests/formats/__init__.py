"""A package, so that a test module may share its name with one of another folder."""
