"""AI2-THOR: the adapter of its Controller, its scenes, ALFRED's task files, a stand-in engine.

https://ai2thor.allenai.org (Apache-2.0). Metres, y up, x right, z forward; yaw in degrees clockwise
seen from above, horizon in degrees below the horizontal. Scene graphs have z up.
"""
