"""The playing of episodes: environment, referee, journal, recording, engines."""
