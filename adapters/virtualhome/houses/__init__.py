"""Generated houses in VirtualHome's own form: other homes than the one of the RobotHow graphs."""
