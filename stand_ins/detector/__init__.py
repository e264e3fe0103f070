"""A stand-in for a vision model, for checks of mechanisms without one.

It gets what any vision model gets: the messages, with the bytes of images in them. It reads drawn
pictures by the codes on their tiles (`observation_text.tile_codes`), where a vision model reads
letters and shapes, and sees nothing in any other image. What it says is spoilt at rates that one
sets.
"""

NAME = "scripted_detector"
