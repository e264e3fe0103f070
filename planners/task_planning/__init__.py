"""Shortest plans over the model of household actions, for what is known of the world."""
