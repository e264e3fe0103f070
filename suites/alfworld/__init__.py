"""The suites `alfworld`: the user's game files, and games drawn here."""
