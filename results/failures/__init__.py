"""Why episodes fail: classes by rule, from recordings alone (docs/reference/failures.md)."""
