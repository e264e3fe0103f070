"""A stand-in for a rosbridge server with a robot behind it: the protocol version 2 over websockets.

    python -m peephole.adapters.rosbridge.stand_in SCENE.json --port 9090

It is independent of the adapter. It follows ROSBRIDGE_PROTOCOL.md of rosbridge_suite (1.3.2 for
ROS 1, 2.1.0 for ROS 2), actionlib's five topics, and the answers of rosapi for topics and services.
It has no types: messages are not checked.

The fake robot does its skills by the household rules on the scene. It offers

- the actions /fake_robot/go_to, pick_up and put,
- the services /fake_robot/open, close and reset,
- the topic /fake_robot/orders with answers on /fake_robot/answers (turn_on and others),
- the topics /fake_robot/seen, where, gripper and heartbeat.

`faults` injects the failures of robots and networks. The service /peephole/stand_in names it.
"""
