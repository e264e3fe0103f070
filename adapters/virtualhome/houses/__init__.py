"""Generated houses in VirtualHome's own form, unlike the single home of the RobotHow graphs."""
