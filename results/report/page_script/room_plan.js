// A room from above, to scale: furniture, what lies on it, the robot, and the way that it took.

const eyeLevel = 1.2; // m: furniture above it hangs on the wall

// The two axes of the floor of a room: the lower of the others is its height.
const floorAxes = (box) => (box[5] <= box[4] ? [0, 1] : [0, 2]);

function drawRoomPlan(world, step, draw, room, furniture) {
  const [across, along] = floorAxes(room.box);
  const up = 3 - across - along;
  const low = (thing, axis) => thing.box[axis] - thing.box[3 + axis] / 2;
  // The other parts of furniture that goes around a corner.
  const parts = (thing) => (thing.more || []).map((box) => ({ box }));
  const all = [...furniture, ...furniture.flatMap(parts), ...[...draw.things.values()].filter((thing) => thing.kind === "agent" && thing.box)];
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
  s("rect", { class: "floor", x: x(low(room, across)), y: y(low(room, along) + room.box[3 + along]),
    width: room.box[3 + across] * unit, height: room.box[3 + along] * unit }),
  order.map((thing) => [thing, ...parts(thing)].map((part) => drawFootprint(draw, thing, hangs(thing), {
    x: x(low(part, across)), y: y(low(part, along) + part.box[3 + along]),
    width: part.box[3 + across] * unit, height: part.box[3 + along] * unit,
  }))),
  drawWay(world, step, (box) => `${x(box[across]).toFixed(1)},${y(box[along]).toFixed(1)}`),
  [...draw.things.values()].filter((thing) => thing.kind === "object" && thing.box && (draw.all || thing.sight !== "hidden"))
    .map((thing) => drawDot(draw, thing, x(thing.box[across]), y(thing.box[along]))),
  [...draw.things.values()].filter((thing) => thing.kind === "agent" && thing.box)
    .map((agent) => drawRobot(agent, x(agent.box[across]), y(agent.box[along]), 0.22 * unit)),
  drawNames(draw, order, hangs, (thing) => [x(thing.box[across]), y(thing.box[along])]));
}

function drawFootprint(draw, thing, hangs, place) {
  const states = thing.states || [];
  const classes = ["footprint", hangs && "hangs", isOpen(thing) && "open", draw.goal.has(thing.id) && "goal",
    draw.about.has(thing.id) && "about"].filter(Boolean).join(" ");
  const kept = (draw.kept.get(thing.id) || []).filter((each) => draw.all || each.sight !== "hidden");
  const words = [states.join(", "), kept.length && kept.map((each) => each.name).join(", ")].filter(Boolean).join("; ");
  return s("rect", { class: classes, ...place }, s("title", {}, words ? `${thing.name}: ${words}` : thing.name));
}

const letter = 5.4, line = 11; // about the width and height of a letter of a name, in the units of the plan

// Names of furniture: first of what the step is about; each where it covers no other one, or not at all.
// What hangs is named only where it matters: it hangs over other furniture.
function drawNames(draw, order, hangs, middle) {
  const weight = (thing) => 4 * draw.about.has(thing.id) + 2 * draw.goal.has(thing.id) + isOpen(thing);
  const named = [...order].reverse().filter((thing) => !hangs(thing) || weight(thing) > 0);
  const taken = [], shown = [];
  for (const thing of named.sort((one, other) => weight(other) - weight(one))) {
    const [x, y] = middle(thing);
    const half = thing.name.length * letter / 2;
    const across = Math.min(Math.max(x, half + 2), 638 - half);
    const box = [0, 1, -1, 2, -2, 3, -3].map((lines) => [across - half, y + lines * line - line / 2, across + half, y + lines * line + line / 2])
      .find((one) => one[1] > 0 && taken.every((other) => one[0] >= other[2] || other[0] >= one[2] || one[1] >= other[3] || other[1] >= one[3]));
    const covered = !weight(thing) && shown.some((each) => Math.hypot(each.x - x, each.y - y) < 1.5 * line);
    if (!box || covered) continue;
    taken.push(box);
    shown.push({ x, y, at: [across, box[3] - 2], thing });
  }
  return shown.map(({ at, thing }) => s("text", { class: draw.about.has(thing.id) ? "about" : null, x: at[0], y: at[1] }, thing.name));
}

const isOpen = (thing) => (thing.states || []).includes("open");

// What the lines and marks of the plan mean. moves: whether the robot and its way are drawn.
function drawRoomKey(moves) {
  const sample = (text, ...marks) => h("span", {}, s("svg", { class: "plan-key room-plan", viewBox: "0 0 20 14" }, ...marks), ` ${text}`);
  const box = (kind) => s("rect", { class: `footprint ${kind}`, x: 2, y: 2, width: 16, height: 10 });
  const dot = (kind) => s("circle", { class: `dot ${kind}`, cx: 10, cy: 7, r: 4 });
  return [sample("open", box("open")), sample("on the wall", box("hangs")), sample("of the action", box("about")),
    sample("thing", dot("seen")), sample("out of sight", dot("known")),
    moves && [sample("its way", s("path", { class: "way", d: "M1 7h18" })),
    sample("robot", s("g", { class: "base" }, s("circle", { cx: 7, cy: 7, r: 5 }), s("path", { d: "M7 7h11" })))]];
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
