"""Watch-And-Help style tasks: the suites `wah` and `wah_train`, and the user's WAH-NL files."""
