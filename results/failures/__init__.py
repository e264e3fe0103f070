"""Why episodes fail: classes by rule, from recordings alone; docs/failures.md defines them."""
