"""Many episodes at once in one process, for training."""
