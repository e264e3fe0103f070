// A room from above, to scale: furniture, what lies on it, the robot, and the way that it took.

const eyeLevel = 1.2; // m: furniture above it hangs on the wall

// The two axes of the floor of a room: the lower of the others is its height.
const floorAxes = (box) => (box[5] <= box[4] ? [0, 1] : [0, 2]);

function drawRoomPlan(world, step, draw, room, furniture) {
  const [across, along] = floorAxes(room.box);
  const up = 3 - across - along;
  const low = (thing, axis) => thing.box[axis] - thing.box[3 + axis] / 2;
  const all = [...furniture, ...[...draw.things.values()].filter((thing) => thing.kind === "agent" && thing.box)];
  const least = (axis) => Math.min(...all.map((thing) => low(thing, axis))) - 0.35;
  const most = (axis) => Math.max(...all.map((thing) => low(thing, axis) + thing.box[3 + axis])) + 0.35;
  const left = least(across), far = most(along);
  const unit = 640 / Math.max(most(across) - left, 0.1);
  const x = (place) => (place - left) * unit, y = (place) => (far - place) * unit;
  const hangs = (thing) => low(thing, up) > eyeLevel;
  const order = [...furniture].sort((one, other) => one.box[up] - other.box[up]);
  return s("svg", {
    class: "plan room-plan", viewBox: `0 0 640 ${Math.ceil((far - least(along)) * unit)}`, role: "img",
    "aria-label": `${room.name} from above, ${plural(furniture.length, "piece")} of furniture`,
  },
  order.map((thing) => drawFootprint(draw, thing, hangs(thing), {
    x: x(low(thing, across)), y: y(low(thing, along) + thing.box[3 + along]),
    width: thing.box[3 + across] * unit, height: thing.box[3 + along] * unit,
  })),
  drawFloorNames(order.filter((thing) => !hangs(thing)), (thing) => x(thing.box[across]), (thing) => y(thing.box[along]), unit),
  drawWay(world, step, (box) => `${x(box[across]).toFixed(1)},${y(box[along]).toFixed(1)}`),
  [...draw.things.values()].filter((thing) => thing.kind === "object" && thing.box && (draw.all || thing.sight !== "hidden"))
    .map((thing) => drawDot(draw, thing, x(thing.box[across]), y(thing.box[along]))),
  [...draw.things.values()].filter((thing) => thing.kind === "agent" && thing.box)
    .map((agent) => drawRobot(agent, x(agent.box[across]), y(agent.box[along]), 0.22 * unit)));
}

function drawFootprint(draw, thing, hangs, place) {
  const states = thing.states || [];
  const classes = ["footprint", hangs && "hangs", states.includes("open") && "open", draw.goal.has(thing.id) && "goal",
    draw.about.has(thing.id) && "about"].filter(Boolean).join(" ");
  const kept = (draw.kept.get(thing.id) || []).filter((each) => draw.all || each.sight !== "hidden");
  const words = [states.join(", "), kept.length && kept.map((each) => each.name).join(", ")].filter(Boolean).join("; ");
  return s("rect", { class: classes, ...place }, s("title", {}, words ? `${thing.name}: ${words}` : thing.name));
}

// The names of the furniture on the floor: of pieces above each other the highest one's, short enough to fit.
function drawFloorNames(standing, x, y, unit) {
  const shown = [];
  for (const thing of [...standing].reverse()) {
    const at = [x(thing), y(thing)];
    if (shown.some((each) => Math.hypot(each.at[0] - at[0], each.at[1] - at[1]) < 0.3 * unit)) continue;
    shown.push({ at, name: thing.name });
  }
  return shown.map(({ at, name }) => s("text", { x: at[0], y: at[1] + 3 }, name));
}

// Where the robot was at each step so far.
function drawWay(world, step, point) {
  const stops = [];
  for (const moment of world.moments) {
    if (moment.step > step) break;
    for (const thing of moment.things) if (thing.kind === "agent" && thing.box) stops.push(point(thing.box));
  }
  return s("polyline", { class: "way", points: stops.join(" ") });
}

function drawDot(draw, thing, x, y) {
  const classes = ["dot", thing.sight, draw.goal.has(thing.id) && "goal", draw.changed.has(thing.id) && "changed"];
  const words = [thing.name, sightWords[thing.sight]].filter(Boolean).join(", ");
  return s("circle", { class: classes.filter(Boolean).join(" "), cx: x, cy: y, r: draw.goal.has(thing.id) ? 5 : 3.5 },
    s("title", {}, words));
}

function drawRobot(agent, x, y, radius) {
  const turn = agent.turn || 0;
  return s("g", { class: "base" },
    s("circle", { cx: x, cy: y, r: radius }),
    s("path", { d: `M${x} ${y}L${x + radius * Math.cos(turn)} ${y - radius * Math.sin(turn)}` }),
    s("title", {}, agent.name));
}
