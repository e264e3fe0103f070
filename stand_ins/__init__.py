"""Stand-ins that take a language model's place offline; plugins like anybody's."""
