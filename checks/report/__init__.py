"""A study to read, and to send in: a page and a JSON document."""
