"""The operator's web page: a server on the loopback interface, for one phone or browser."""
