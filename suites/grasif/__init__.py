"""The suite `grasif`: a selection by the rules of GraSIF, or the user's own GraSIF files."""
