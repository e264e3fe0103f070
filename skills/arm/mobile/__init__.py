"""The skills of an arm on a mobile base in a room: drive, open, close, look, pick, put, switch."""
