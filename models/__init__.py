"""Language models: one client for any OpenAI-compatible endpoint, and models started here."""
