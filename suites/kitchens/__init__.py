"""Tru-POMDP's object rearrangement in kitchens: the suites `kitchens` and its three levels."""
