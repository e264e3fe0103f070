"""The dialects: a folder for each way of wording observations and actions."""
