"""The block world on MuJoCo."""
