"""Actions, their outcomes and dynamics, and the executor with retries."""
