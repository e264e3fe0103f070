"""The report: runs, their figures and every episode, as one self-contained HTML page."""
