"""Graph augmentation: detectors of the things at a place, from the true view or from an image."""
