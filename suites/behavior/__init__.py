"""Activities of BEHAVIOR-1K: the suites `behavior` and `behavior:dynamic`."""
