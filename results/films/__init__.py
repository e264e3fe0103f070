"""Films of episodes: what a camera saw, or drawn floor plans, with what was done below."""
