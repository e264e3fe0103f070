"""What recordings say: figures, statistics, pages, films, exports and comparisons."""
