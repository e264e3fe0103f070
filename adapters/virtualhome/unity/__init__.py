"""VirtualHome through the Unity executable's HTTP protocol."""
