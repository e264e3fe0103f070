"""What a careful person would do next in a house, by what is asked for and what is known."""
