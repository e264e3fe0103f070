"""Graph augmentation: the things at a place, found in the true view or by a model in an image."""
