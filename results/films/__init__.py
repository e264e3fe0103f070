"""Films of episodes: camera images or drawn floor plans, with captions."""
