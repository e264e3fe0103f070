"""AI2-THOR: its Controller, the objects of its iTHOR scenes, and a stand-in for its engine.

https://ai2thor.allenai.org (Apache-2.0). Metres, y up, x right, z forward; yaw in degrees clockwise
seen from above, horizon in degrees below the horizontal.
"""
