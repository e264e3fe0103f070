"""The suites `libero`: the tasks of LIBERO and LIBERO-PRO, read from the installed package."""
