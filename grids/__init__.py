"""The papers' tables and figures as grid files, and the session that plays all runs of one.

`GridSession` plays the runs together; `episodes.parquet` holds all their episodes.
"""
