"""The releases: ROCOv2 as on Zenodo, and ImageCLEF of every year."""
