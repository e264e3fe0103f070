"""ALFWorld's text games: in their own engine, and in an interpreter of their files."""
