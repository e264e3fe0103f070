"""Suites as tasks of inspect_ai: `inspect eval peephole/suite -T suite=houses`."""
