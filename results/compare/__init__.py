"""Two runs, or two folders of runs, compared: a simulation and what it is to tell of."""
