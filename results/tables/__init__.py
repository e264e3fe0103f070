"""Results as tables: planners by suites, rows for other programs, and tables on a terminal."""
