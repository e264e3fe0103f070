"""Watch-And-Help style tasks: the suites `wah` and `wah:train`, and the user's WAH-NL files."""
