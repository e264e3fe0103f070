"""Plans written before anything is done: by acting in a house that is imagined."""
