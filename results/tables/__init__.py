"""Results as tables: planners by suites, rows for other programs, tables on a terminal."""
