"""Training of small language models on recorded episodes: `peephole train`."""
