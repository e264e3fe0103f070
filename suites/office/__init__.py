"""Offices of our own: the suites `office` and `office:real`."""
