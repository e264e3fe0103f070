"""What every adapter must do, whatever its simulator: the contract of `adapters.contract`."""

from .actions import CHECKS as _ACTIONS
from .description import CHECKS as _DESCRIPTION
from .perception import CHECKS as _PERCEPTION
from .world import CHECKS as _WORLD

#: In the order in which they are checked.
ASSUMPTIONS = [
    each for checks in (_DESCRIPTION, _WORLD, _PERCEPTION, _ACTIONS) for each in checks.assumptions
]
