"""VirtualHome: the evolving-graph simulator on the RobotHow graphs."""
