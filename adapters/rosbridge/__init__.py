"""A robot behind a rosbridge server: skills as its ROS actions, services and topics."""
