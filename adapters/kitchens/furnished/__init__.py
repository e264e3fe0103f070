"""Kitchens with real furniture: solids, fronts and boards in metres, without a physics engine."""
