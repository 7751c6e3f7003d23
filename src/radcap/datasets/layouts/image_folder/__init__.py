"""A folder of images, with a table beside them or without."""
