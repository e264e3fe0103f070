"""Tasks of an arm before blocks: what the observations tell, and what is done next."""
