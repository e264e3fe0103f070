"""Tree search on one hypothesis of a language model, which also says what to try first."""
