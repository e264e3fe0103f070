"""Tasks in AI2-THOR: the suite `alfred` of the user's ALFRED files, and `ithor`, generated."""
