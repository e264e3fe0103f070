// The picture of a step: rooms as boxes, furniture and things in them, in different styles by who knows them.

const picture = { hidden: null }; // whether all that is hidden is drawn; null: where there is little

// The world as it was when a step had been done: its things by id, and what the step changed.
function worldAt(world, step) {
  const things = new Map();
  let newest = { at: [], about: [] };
  let changed = new Set();
  for (const moment of world.moments) {
    if (moment.step > step) break;
    changed = new Set();
    for (const thing of moment.things) {
      const before = things.get(thing.id);
      if (before && whereabouts(before) !== whereabouts(thing)) changed.add(thing.id);
      things.set(thing.id, thing);
    }
    for (const id of moment.gone || []) things.delete(id);
    newest = moment;
  }
  if (newest.step !== step) changed = new Set();
  return { things, changed, at: new Set(newest.at), about: new Set(newest.about), goal: new Set(world.goal) };
}

const whereabouts = (thing) => JSON.stringify([thing.in, thing.how, thing.states, thing.box]);

function drawWorld(world, step, grants, redraw) {
  const now = worldAt(world, step);
  const kept = new Map();
  for (const thing of now.things.values()) {
    const place = now.things.has(thing.in) ? thing.in : null;
    if (!kept.has(place)) kept.set(place, []);
    kept.get(place).push(thing);
  }
  const things = [...now.things.values()];
  const hidden = things.filter((thing) => thing.sight === "hidden").length;
  const all = picture.hidden === null ? hidden <= 30 : picture.hidden;
  const draw = { ...now, kept, all };
  const rooms = (kept.get(null) || []).filter((thing) => thing.kind === "room");
  const loose = (kept.get(null) || []).filter((thing) => thing.kind !== "room");
  const standing = things.filter((thing) => thing.kind === "fixture" && thing.box);
  const boxed = standing.length < 2 && things.some((thing) => thing.kind === "object" && thing.box && thing.box[3] > 0);
  const [room] = rooms;
  const planned = rooms.length === 1 && room.box && standing.length > 1
    && { moves: things.some((thing) => thing.kind === "agent" && thing.box) };
  return h("div", {},
    boxed && drawPlan(draw),
    planned && drawRoomPlan(world, step, draw, room, standing),
    h("div", { class: "rooms" },
      rooms.map((room) => drawRoom(draw, room)),
      loose.length ? h("div", { class: "room" }, h("h4", {}, "nowhere"), drawKept(draw, loose)) : null),
    drawKey(world, hidden, all, grants, { boxed, planned }, redraw));
}

function drawRoom(draw, room) {
  const inside = draw.kept.get(room.id) || [];
  const here = hasAgent(draw, room.id);
  return h("section", { class: here ? "room here" : "room", "aria-label": room.name },
    h("h4", {}, room.name, here && h("span", { class: "soft" }, "the robot is here")),
    drawKept(draw, inside));
}

// Whether the agent is in a place, or on something in it.
function hasAgent(draw, place) {
  return (draw.kept.get(place) || []).some((thing) =>
    thing.kind === "agent" || (thing.kind !== "room" && hasAgent(draw, thing.id)));
}

// What a place keeps: what matters as boxes, the rest counted by kind.
function drawKept(draw, inside) {
  const rest = new Map();
  let unseen = 0;
  const boxes = [];
  for (const thing of inside) {
    if (thing.kind === "room") boxes.push(drawRoom(draw, thing));
    else if (thing.sight === "hidden" && !draw.all && !matters(draw, thing)) unseen += 1 + hiddenBelow(draw, thing);
    else if (thing.kind === "fixture" && !matters(draw, thing)) {
      const kind = thing.name.replace(/ \d+$/, "");
      rest.set(kind, (rest.get(kind) || 0) + 1);
    } else boxes.push(drawThing(draw, thing));
  }
  const parts = [...rest].map(([kind, count]) => (count > 1 ? `${count} ${kind}` : kind));
  if (unseen) parts.push(`${unseen} hidden`);
  return [
    boxes.length ? h("div", { class: "tiles" }, boxes) : null,
    parts.length ? h("div", { class: "rest" }, parts.join(" · ")) : null,
  ];
}

// Whether a thing is drawn as a box of its own.
function matters(draw, thing) {
  const { goal, at, about, changed, kept } = draw;
  if (goal.has(thing.id) || at.has(thing.id) || about.has(thing.id) || changed.has(thing.id)) return true;
  if (thing.kind === "agent") return true;
  return (kept.get(thing.id) || []).some((each) =>
    (each.kind === "object" && (each.sight !== "hidden" || draw.all)) || matters(draw, each));
}

function hiddenBelow(draw, thing) {
  return (draw.kept.get(thing.id) || []).reduce((sum, each) => sum + 1 + hiddenBelow(draw, each), 0);
}

const sightWords = {
  seen: "", known: "known, out of sight", moved: "known to be elsewhere", hidden: "hidden",
};
const sightSigns = { seen: "", known: "◦ ", moved: "≠ ", hidden: "? " };
const plain = new Set(["clean", "plugged in"]);

function drawThing(draw, thing) {
  const goal = draw.goal.has(thing.id);
  const states = (thing.states || []).filter((state) => goal || !plain.has(state));
  const classes = ["thing", thing.kind === "agent" ? "robot" : thing.kind];
  if (thing.kind !== "agent") classes.push(thing.sight === "hidden" ? "hidden-thing" : thing.sight);
  if (states.includes("closed")) classes.push("closed");
  if (draw.at.has(thing.id)) classes.push("at");
  if (draw.changed.has(thing.id)) classes.push("changed");
  const inside = draw.kept.get(thing.id) || [];
  const how = thing.how === "under" ? "under it: " : "";
  const words = [sightWords[thing.sight], draw.changed.has(thing.id) && "changed in this step",
    draw.at.has(thing.id) && "in reach of the robot"].filter(Boolean).join(", ");
  return h("div", { class: classes.join(" "), title: words || null },
    goal && h("span", { class: "flag" }, "⚑ ", h("span", { class: "aside" }, "of the goal: ")),
    thing.kind === "agent" ? "◉ " : h("span", { "aria-hidden": "true" }, sightSigns[thing.sight]),
    how, thing.name,
    words && h("span", { class: "aside" }, ` (${words})`),
    states.length ? h("span", { class: "states" }, ` ${states.join(", ")}`) : null,
    thing.kind === "agent" && h("span", { class: "states" }, states.length ? "," : "", inside.length ? " holds" : " holds nothing"),
    inside.length ? drawKept(draw, inside) : null);
}

function drawKey(world, hidden, all, grants, { boxed, planned }, redraw) {
  const sample = (name, text) => h("span", { class: `thing ${name}` }, text);
  const toggle = (event) => { picture.hidden = event.target.checked; redraw(); };
  return h("div", { class: "key" },
    sample("seen", "seen"), sample("known", "◦ known, out of sight"), sample("moved", "≠ known elsewhere"),
    world.is_true && sample("hidden-thing", "? hidden"), sample("closed", "closed"), sample("at", "in reach"),
    sample("changed", "changed now"), h("span", { class: "flag" }, "⚑ of the goal"),
    boxed && [sample("goal-block", "block of the goal"), h("span", {}, s("svg", { class: "plan-key", viewBox: "0 0 20 14" }, s("path", { class: "gripper", d: fingers(10, 8, 7) })), " gripper")],
    planned && drawRoomKey(planned.moves),
    world.is_true && hidden > 0 && h("label", {},
      h("input", { type: "checkbox", checked: all, onchange: toggle }), `show all hidden (${hidden})`),
    grants.includes("map") && h("span", {}, "A map was granted: hidden things may be known from it."),
    !world.is_true && h("span", {}, "There is no true state: drawn is what was perceived."));
}

// The label of each name: its number, or what it does not share with all others; else the name.
function blockLabels(names) {
  let shared = 0;
  while (names.length > 1 && names[0][shared] && names.every((name) => name[shared] === names[0][shared])) shared += 1;
  const forms = [(name) => name.match(/\d+$/)?.[0], (name) => name.slice(shared), (name) => name];
  const form = forms.find((each) => names.every(each) && new Set(names.map(each)).size === names.length);
  return new Map(names.map((name) => [name, (form || forms[2])(name)]));
}

// Two fingers with the hand above them.
const fingers = (at, y, wide) => `M${at - wide} ${y + 5}v${-wide - 5}h${2 * wide}v${wide + 5}`;

// Blocks on a table, from above and from the side, to scale.
function drawPlan(draw) {
  const things = [...draw.things.values()].filter((thing) => thing.box);
  const blocks = things.filter((thing) => thing.kind === "object");
  const [table] = things.filter((thing) => thing.kind === "fixture");
  const gripper = things.find((thing) => thing.kind === "agent");
  const spread = (axis, all) => [
    Math.min(...all.map((thing) => thing.box[axis] - thing.box[3 + axis] / 2)),
    Math.max(...all.map((thing) => thing.box[axis] + thing.box[3 + axis] / 2)),
  ];
  const around = table ? [...blocks, table] : blocks;
  const [left, right] = spread(1, around);
  const [near, far] = spread(0, around);
  const floor = table ? table.box[2] + table.box[5] / 2 : 0;
  const high = Math.max(...things.map((thing) => thing.box[2] + thing.box[5] / 2), floor + 0.25);
  const unit = 360 / Math.max(right - left, 0.1);
  const above = (far - near) * unit, side = (high - floor) * unit;
  const x = (place) => 10 + (place - left) * unit;
  const views = [
    { name: "from above", y: (thing) => 18 + (far - thing.box[0]) * unit, size: 3,
      gripper: (at, y, wide) => `M${at - wide} ${y - 6}v12M${at + wide} ${y - 6}v12` },
    { name: "from the side", y: (thing) => 44 + above + (high - thing.box[2]) * unit, size: 5, gripper: fingers },
  ];
  const labels = blockLabels(blocks.map((thing) => thing.name));
  const drawBlock = (view) => (thing) => {
    const wide = thing.box[4] * unit, tall = thing.box[view.size] * unit;
    const marks = [draw.changed.has(thing.id) && "changed", draw.goal.has(thing.id) && "goal"];
    return s("g", {},
      s("title", {}, thing.name),
      s("rect", { class: ["block", ...marks].filter(Boolean).join(" "), x: x(thing.box[1]) - wide / 2,
        y: view.y(thing) - tall / 2, width: wide, height: tall }),
      s("text", { x: x(thing.box[1]), y: view.y(thing) + 4 }, labels.get(thing.name)));
  };
  const apart = 4 + Math.max(...blocks.map((thing) => thing.box[4])) * unit / 2;
  const drawGripper = (view) => gripper && s("path", {
    class: "gripper", d: view.gripper(x(gripper.box[1]), view.y(gripper), apart),
  }, s("title", {}, gripper.name));
  const order = [...blocks].sort((one, other) => one.box[2] - other.box[2]);
  return s("svg", { class: "plan", viewBox: `0 0 380 ${Math.ceil(56 + above + side)}`, role: "img",
    "aria-label": `${plural(blocks.length, "block")} from above and from the side` },
    s("rect", { class: "table", x: 10, y: 18, width: 360, height: above }),
    s("path", { class: "table", d: `M10 ${44 + above + side}h360` }),
    views.map((view) => [order.map(drawBlock(view)), drawGripper(view)]),
    s("text", { class: "view", x: 10, y: 12 }, "from above"),
    s("text", { class: "view", x: 10, y: 38 + above }, "from the side"));
}
