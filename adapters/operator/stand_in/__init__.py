"""What takes the place of the person where nobody is there."""
