"""The runs that make up a table or figure of a paper, as a grid file says.

A grid file is YAML, see `Grid`. Each of its suites is played by each of its rows with each of its
seeds; every run has a folder, which is continued where it exists.
"""
