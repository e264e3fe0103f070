"""The block world on any engine: its scenes, its sensors, and the adapters' common part."""
