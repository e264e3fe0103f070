"""The dialect `lookplangraph`: functions called on the nodes of a scene graph."""
