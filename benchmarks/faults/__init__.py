"""Faults planted in the stand-ins of engines, for `planted_faults.py`: a module an engine.

Each module has `CHECKS`, the checks of its adapter, and `FAULTS`. Where the stand-in has to be
chosen, `sound()` is the context without a fault. A fault changes what a stand-in does, never our
checks or adapters.
"""
