"""The suites of tasks, a module or folder each."""
