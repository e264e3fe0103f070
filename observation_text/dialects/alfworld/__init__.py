"""The dialect `alfworld`: households in ALFWorld's words."""
