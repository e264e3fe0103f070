"""The next action of a careful person in a house, by the goal and what is known."""
