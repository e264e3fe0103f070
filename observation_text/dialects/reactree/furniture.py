"""The kinds of furniture in the text of a look around.

ReAcTree's VirtualHome environment lists 28 kinds when a room is entered, the furniture classes of
its partial graph. Its AI2-THOR environment lists the receptacles that cannot be carried. Things
left out of both lists still appear in the menu.
"""

from __future__ import annotations

from ....scene_graph.node import Affordance, Kind, Node

#: The kinds of things in VirtualHome's Unity scenes that a room's text leaves out. The 28 others
#: are furniture, appliances, chairs and towel racks.
_UNLISTED = frozenset(
    name.replace("_", " ")
    for name in """
        alcohol amplifier apple balance_ball bananas bar_soap bathroom_counter_drawer bathtub
        bell_pepper board_game book bottled_water bowl box bucket candle candy_bar carrot
        ceiling_fan ceiling_lamp cell_phone cereal chicken chinese_food chips chocolate_syrup
        clock closet_drawer coat_rack coffee_maker coffee_pot condiment_bottle condiment_shaker
        cooking_pot cpu_screen crackers crayons creamy_buns cupcake curtains cutlery_fork
        cutlery_knife cutlets cutting_board deodorant dishwashing_liquid door door_jamb
        face_cream folder frying_pan game glasses globe guitar hair_product hanger juice
        keyboard kitchen_counter_drawer knife_block light_switch lime longboard lotion_bottle
        magazine milk milkshake minced_meat mouse mouse_mat mug notes orchid oven_tray
        painkillers pancake pants paper paper_tray peach pear perfume photo_frame pie
        pile_of_clothes pillow plate plum pound_cake power_socket printer pudding radio
        remote_control rug salad salmon shelf shirt slice_of_bread slippers speaker sports_ball
        stall standing_mirror stove_fan sundae table_lamp teddy_bear toilet_paper toothbrush
        toothpaste towel toy tv_stand vase wall_lamp wall_phone wall_picture_frame wall_shelf
        washing_sponge water_glass whipped_cream window wine wine_glass
    """.split()  # noqa: SIM905  (a list of 130 lines reads worse)
)

_KEEPING = frozenset({Affordance.SURFACE, Affordance.CONTAINER})
#: Receptacles of AI2-THOR left out of its first text.
_THOR_UNLISTED = frozenset({"chair", "stool"})


def is_listed(node: Node) -> bool:
    """Whether a room's text names a thing seen from afar.

    Kinds that only RobotHow's houses have (lights, a couch, a cupboard) are listed, since no other
    text would mention them.
    """
    return node.category not in _UNLISTED


def is_listed_in_thor(node: Node) -> bool:
    """The same for AI2-THOR: receptacles that cannot be carried, except single seats."""
    if node.kind is not Kind.FIXTURE or node.category in _THOR_UNLISTED:
        return False
    return not _KEEPING.isdisjoint(node.affordances)
