"""What is assumed of contacts, in the blocks that the adapter's skills lift, stack and weigh."""

from __future__ import annotations

from dataclasses import dataclass, field

from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import Pose, Relation
from ...skills.actions import Action, Verb
from ...skills.arm import rotation
from ...skills.arm.blocks.block_graph import ARM, FIRST_BLOCK, TABLE
from ...skills.arm.blocks.world import ArmReading
from ...skills.outcomes import RawResult, Reason
from ..assumption import CannotTell, Checks, Topic, expect
from ..bench import Bench
from .measured import far, words

_A, _B = FIRST_BLOCK, FIRST_BLOCK + 1
_MASSES = (0.3, 0.5)
_AT = (0.45, -0.15, 0.0), (0.45, 0.15, 0.4)
_PLACES = "|".join(",".join(map(str, place)) for place in _AT)
SCENE = f"blocks:n=2;masses={_MASSES[0]},{_MASSES[1]};at={_PLACES}"
_G = 9.81

CHECKS = Checks("isaacgym", SCENE)


@dataclass(frozen=True)
class Moment:
    """What the adapter gave after one action."""

    result: RawResult
    graph: SceneGraph
    arm: ArmReading

    def pose(self, block: int) -> Pose:
        return _pose(self.graph, block)


@dataclass
class Stacking:
    """A is lifted, carried and set down, then B is set on it; each moment by its name."""

    start: SceneGraph
    moments: dict[str, Moment] = field(default_factory=dict)

    def at(self, name: str) -> Moment:
        """A moment. Raises CannotTell where it was not reached, or the action failed."""
        if name not in self.moments:
            raise CannotTell(f"'{name}' was not reached")
        moment = self.moments[name]
        failure = moment.result.failure
        if failure is not None:
            raise CannotTell(f"'{name}' failed: {failure.reason} {moment.result.message}".strip())
        return moment


def _reach(x: float, y: float, z: float, verb: Verb = Verb.REACH) -> Action:
    return Action(verb, pose=(x, y, z, 1.0, 0.0, 0.0, 0.0))


#: Where A is set down, and where the hand carries it before.
_SPOT, _ABOVE = (0.5, 0.0, 0.026), (0.5, 0.0, 0.4)
_PLAY = {
    "lift A": Action(Verb.PICK_UP, _A),
    "carry A": _reach(*_ABOVE),
    "set A down": _reach(*_SPOT, Verb.PLACE),
    "lift B": Action(Verb.PICK_UP, _B),
    "set B on A": _reach(_SPOT[0], _SPOT[1], 0.078, Verb.PLACE),
    "go home": Action(Verb.RESET),
    "wait": Action(Verb.WAIT, seconds=0.5),
}


def _play(bench: Bench) -> Stacking:
    bench.begin()
    stacking = Stacking(bench.graph())
    for name, action in _PLAY.items():
        result = bench.do(action)
        reading = bench.view().arm
        if reading is None:
            raise CannotTell("the view has no reading of the arm")
        stacking.moments[name] = Moment(result, bench.graph(), reading)
        if result.failure is not None:
            break
    return stacking


def stacking_of(bench: Bench) -> Stacking:
    """The stacking, played with the first check that reads it."""
    return bench.once("stacking", lambda: _play(bench))


@CHECKS.assume(
    Topic.SCENE,
    "Blocks are at the start where the scene puts them, on the table.",
    source="adapters/blocks/scenes.py; the frame of the base has the table's top at z = 0",
)
def blocks_start_at_their_places(bench: Bench) -> str:
    start = stacking_of(bench).start
    places = [_pose(start, block).position for block in (_A, _B)]
    wanted = [(x, y, 0.025) for x, y, _ in _AT]
    answer = " and ".join(words(place, "m") for place in places)
    holds = all(far(place, want) < 0.002 for place, want in zip(places, wanted, strict=True))
    return expect(holds, f"they are at {answer}")


@CHECKS.assume(
    Topic.SCENE,
    "A block has the yaw that the scene gives it.",
    source="adapters/isaacgym/server.py: _add_block; grasps are planned by it",
)
def blocks_start_with_their_yaw(bench: Bench) -> str:
    pose = _pose(stacking_of(bench).start, _B)
    yaw = rotation.to_euler(rotation.matrix(pose.orientation))[2]
    return expect(abs(yaw - _AT[1][2]) < 0.01, f"cubeB has a yaw of {yaw:.4f} rad")


@CHECKS.assume(
    Topic.ACTIONS,
    "The gripper lifts a block of 0.3 kg by friction alone.",
    source="skills/arm/blocks; adapters/isaacgym/world.py: GRIP",
)
def a_block_is_lifted(bench: Bench) -> str:
    stacking = stacking_of(bench)
    moment = stacking.moments["lift A"]
    rose = moment.pose(_A).position[2] - _pose(stacking.start, _A).position[2]
    failure = moment.result.failure
    told = "success" if failure is None else f"{failure.reason} {moment.result.message}"
    return expect(failure is None and rose > 0.1, f"{told}; the block rose by {rose:.3f} m")


@CHECKS.assume(
    Topic.HANDS,
    "Fingers on a block stop at half its edge: 0.025 m each.",
    source="skills/arm/blocks: what is in the gripper is told by the fingers",
)
def fingers_stop_at_a_block(bench: Bench) -> str:
    fingers = stacking_of(bench).at("lift A").arm.fingers
    return expect(far(fingers, (0.025, 0.025)) < 0.002, f"they are at {words(fingers, 'm')}")


@CHECKS.assume(
    Topic.STATES,
    "The force at the wrist of a held block is its weight, down along -z, in N.",
    source="ArmReading.force; LLM-POP's arm finds masses by it",
)
def weight_is_felt(bench: Bench) -> str:
    force = stacking_of(bench).at("lift A").arm.force
    wanted = (0, 0, -_MASSES[0] * _G)
    answer = f"{_MASSES[0]} kg read {words(force, 'N')}, expected {words(wanted, 'N')}"
    return expect(far(force, wanted) < 0.3, answer)


@CHECKS.assume(
    Topic.STATES,
    "A heavier block is felt to be heavier, by its difference.",
    source="adapters/blocks/scenes.py: GAP, the least difference of two masses",
)
def a_heavier_block_is_felt(bench: Bench) -> str:
    stacking = stacking_of(bench)
    one, other = (-stacking.at(name).arm.force[2] / _G for name in ("lift A", "lift B"))
    answer = f"{_MASSES[0]} and {_MASSES[1]} kg are felt as {one:.3f} and {other:.3f} kg"
    return expect(abs(other - one - (_MASSES[1] - _MASSES[0])) < 0.03, answer)


@CHECKS.assume(
    Topic.CARRYING,
    "A held block moves with the hand and does not slip in it.",
    source="skills/arm/blocks/block_graph.py: HOLDS",
)
def a_held_block_moves_with_the_hand(bench: Bench) -> str:
    stacking = stacking_of(bench)
    lifted, carried = stacking.at("lift A"), stacking.at("carry A")
    moved = [b - a for a, b in zip(lifted.arm.pose[:3], carried.arm.pose[:3], strict=True)]
    block = [
        b - a for a, b in zip(lifted.pose(_A).position, carried.pose(_A).position, strict=True)
    ]
    answer = f"the hand moved by {words(moved, 'm')}, the block by {words(block, 'm')}"
    return expect(far(moved, block) < 0.004, answer)


@CHECKS.assume(
    Topic.SPACE,
    "The point between the fingertips comes to the pose that was asked, within 2 mm.",
    source="skills/arm/blocks/arm.py: reach; skills/arm/panda.py: TCP_OFFSET",
)
def the_hand_comes_to_its_pose(bench: Bench) -> str:
    pose = stacking_of(bench).at("carry A").arm.pose
    answer = f"asked {words(_ABOVE, 'm')}, it is at {words(pose[:3], 'm')}"
    return expect(far(pose[:3], _ABOVE) < 0.002, answer)


@CHECKS.assume(
    Topic.ACTIONS,
    "A block that is set down lies where the hand was, and stands flat.",
    source="skills/arm/blocks/arm.py: PLACE_TOLERANCE",
)
def a_block_lies_where_it_was_set(bench: Bench) -> str:
    pose = stacking_of(bench).at("set A down").pose(_A)
    up = rotation.matrix(pose.orientation)[:, 2]
    answer = f"asked {words(_SPOT, 'm')}, it lies at {words(pose.position, 'm')}, up {words(up)}"
    return expect(far(pose.position[:2], _SPOT[:2]) < 0.01 and abs(up[2]) > 0.99, answer)


@CHECKS.assume(
    Topic.HANDS,
    "A block that is let go does not stick to the fingers: the force is zero again.",
    source="skills/arm/blocks/arm.py: place opens the fingers and rises",
)
def a_released_block_does_not_stick(bench: Bench) -> str:
    moment = stacking_of(bench).at("set A down")
    rose = moment.pose(_A).position[2]
    answer = f"force {words(moment.arm.force, 'N')}, the block at z {rose:.4f}"
    return expect(far(moment.arm.force, (0, 0, 0)) < 0.3 and rose < 0.03, answer)


@CHECKS.assume(
    Topic.ACTIONS,
    "A block stays on another one as the hand leaves and time passes.",
    source="suites/blocks: goals of stacks; block_graph.py: on",
)
def a_stack_of_the_hand_stays(bench: Bench) -> str:
    moment = stacking_of(bench).at("wait")
    answer = f"cubeA {words(moment.pose(_A).position)}, cubeB {words(moment.pose(_B).position)}"
    return expect(moment.graph.has_edge(_B, Relation.ON, _A), answer)


@CHECKS.assume(
    Topic.STATES,
    "Setting a block on another moves the lower one by less than 5 mm.",
    source="skills/arm/blocks/rearrangement.py: places of blocks are planned, not re-measured",
)
def the_lower_block_stays(bench: Bench) -> str:
    stacking = stacking_of(bench)
    before, after = (stacking.at(name).pose(_A).position for name in ("lift B", "wait"))
    moved = far(before, after)
    return expect(moved < 0.005, f"it moved by {moved:.4f} m")


@CHECKS.assume(
    Topic.TIMING,
    "Time passes as it is asked for: a wait of 0.5 s lasts 0.5 s of the simulation.",
    source="adapters/isaacgym/server.py: DT; sim_time_s of results",
)
def waiting_lasts_as_asked(bench: Bench) -> str:
    took = stacking_of(bench).at("wait").result.sim_time_s
    return expect(abs(took - 0.5) < 0.03, f"it lasted {took:.3f} s")


@CHECKS.assume(
    Topic.REFUSALS,
    "A welded block does not give way to the arm, and is felt to hold: it is `immovable`.",
    source="adapters/isaacgym/server.py: fix_base_link; skills/arm/blocks: tugs with 10 N",
    scene=f"{SCENE};welded=A",
)
def a_welded_block_holds(bench: Bench) -> str:
    before = _pose(bench.graph(), _A).position
    result = bench.do(Action(Verb.PICK_UP, _A))
    moved = far(before, _pose(bench.graph(), _A).position)
    reason = "success" if result.failure is None else result.failure.reason
    answer = f"{reason}: {result.message} It moved by {moved:.4f} m."
    return expect(reason is Reason.IMMOVABLE and moved < 0.001, answer)


@CHECKS.assume(
    Topic.REFUSALS,
    "What is refused beforehand lets no time pass and moves nothing.",
    source="skills/arm/blocks/arm.py: refusals; adapters/contract.py",
)
def refusals_move_nothing(bench: Bench) -> str:
    before = bench.graph()
    result = bench.do(_reach(2.0, 0.0, 0.3))
    reason = "success" if result.failure is None else result.failure.reason
    moved = max(
        far(_pose(before, node).position, _pose(bench.graph(), node).position)
        for node in (ARM, _A, _B)
    )
    answer = f"{reason} after {result.sim_time_s:.3f} s, moved by {moved:.2g} m"
    holds = reason is Reason.OUT_OF_BOUNDS and not result.sim_time_s and moved < 1e-6
    return expect(holds, answer)


@CHECKS.assume(
    Topic.RESTART,
    "A new process starts the same scene in the same state, within 0.1 mm.",
    source="adapters/isaacgym/blocks.py: every episode has its own process",
)
def a_new_process_starts_the_same(bench: Bench) -> str:
    before = bench.graph()
    bench.restart()
    moved = _apart(before, bench.graph())
    return expect(moved < 1e-4, f"things are {moved:.2g} m from where they were")


@CHECKS.assume(
    Topic.RESTART,
    "The same actions lead to the same state, within 2 mm: an episode is restored by replay.",
    source="adapters/contract.py: REPLAYABLE",
)
def a_replay_leads_to_the_same_state(bench: Bench) -> str:
    stacking = stacking_of(bench)
    wanted = stacking.at("lift A").graph
    bench.begin(again=True)
    bench.must(_PLAY["lift A"])
    moved = _apart(wanted, bench.graph())
    return expect(moved < 0.002, f"after lifting cubeA again things are {moved:.2g} m apart")


@CHECKS.assume(
    Topic.SCENE,
    "Blocks lie on the table without an edge to anything else, and the table is fixed.",
    source="skills/arm/blocks/block_graph.py: 12 mm in height for `on`",
)
def blocks_lie_on_the_table(bench: Bench) -> str:
    graph = stacking_of(bench).start
    at = {block: graph.places(block) for block in (_A, _B)}
    answer = "; ".join(
        f"{block}: {', '.join(f'{r} {p}' for r, p in on)}" for block, on in at.items()
    )
    return expect(all(on == [(Relation.ON, TABLE)] for on in at.values()), answer)


def _pose(graph: SceneGraph, node: int) -> Pose:
    pose = graph[node].pose
    if pose is None:
        raise CannotTell(f"the node {node} has no pose")
    return pose


def _apart(one: SceneGraph, other: SceneGraph) -> float:
    """The largest distance of a thing or the arm between two states, in m."""
    return max(
        far(_pose(one, node).position, _pose(other, node).position) for node in (ARM, _A, _B)
    )
