// Beliefs over areas, searches, rewards, and trees of agents.

const share = (value) => (value === null ? "?" : value.toFixed(2));

function drawBelief(belief) {
  return h("div", {},
    h("div", { class: "places" }, belief.places.map(drawStand)),
    belief.goals.map((goal) => h("div", { class: "meant" },
      h("i", {}, h("u", { style: `width:${Math.round(100 * goal.weight)}%` })), " ",
      h("b", {}, share(goal.weight)), ` ${goal.text}`)),
    h("p", { class: "key" }, "Objects and goals: the likeliest first. Bar: the probability now; line below it: before. ",
      "Darker area: something is likelier there. Blue frame: where the robot stands. Dashed: closed. ",
      "⚑: what goals bring there, with their weight."));
}

function drawStand(place) {
  return h("div", { class: place.here ? "stand here" : "stand" },
    h("b", {}, place.name, place.here && h("span", { class: "soft" }, " (robot)")),
    place.tiles.map(drawArea),
    place.others.length ? h("div", { class: "others" },
      place.others.map((area) => h("span", { class: area.closed && "closed" }, area.name))) : null);
}

function drawArea(area) {
  return h("div", { class: area.closed ? "tile closed" : "tile", style: `--p:${area.likeliest.toFixed(2)}` },
    h("div", {}, area.name, area.closed && h("span", { class: "states" }, " closed")),
    area.objects.map((each) => h("div", { class: "presence" },
      h("i", {}, h("u", { style: `width:${Math.round(100 * (each.after || 0))}%` }),
        h("s", { style: `width:${Math.round(100 * (each.before || 0))}%` })),
      h("span", {}, each.name),
      h("span", { class: "share" }, each.changed
        ? [`${share(each.before)} → `, h("b", {}, each.after === null ? "less" : share(each.after))]
        : share(each.after === null ? each.before : each.after)))),
    area.wanted.map(([name, weight]) => h("div", { class: "wanted" },
      `⚑ ${name} `, h("span", { class: "share" }, share(weight)))));
}

function drawSearch(search) {
  return h("div", { class: "branch" }, h("div", { class: "soft" }, search.text),
    search.branch.map((step, depth) => h("div", { style: `padding-left:${depth}rem` },
      `▸ ${step.action}`, step.observation && h("span", { class: "soft" }, ` → ${step.observation}`))));
}

const idle = (state) => state === "not begun" || state === "left out";

function drawTree(tree, step) {
  return h("ul", { class: "tree" }, tree.map((line) => {
    const [, state, mark, figures] = line.history.findLast((each) => each[0] <= step) || [0, "not begun", "·", "not begun"];
    const colour = idle(state) ? "later" : ["success", "failure"].includes(state) ? state : "open";
    return h("li", { style: `padding-left:${1.2 * line.depth}rem`, class: idle(state) && "later" },
      h("span", { class: colour }, mark), h("span", { class: "aside" }, ` ${state}: `), ` ${line.goal} `,
      h("span", { class: "soft" }, figures));
  }));
}

function drawRewards(chart) {
  const whole = (value) => Math.round(value).toLocaleString("en");
  const { left, top, bottom, width, height } = chart;
  const [lastX, lastY] = chart.points[chart.points.length - 1];
  return s("svg", { class: "rewards", viewBox: `0 0 ${width} ${height}`, role: "img",
    "aria-label": `reward over the steps: ${whole(chart.total)} in all` },
    s("text", { x: left, y: 9 }, `reward so far; ${whole(chart.total)} in all`),
    s("text", { class: "end", x: left - 5, y: top + 4 }, whole(chart.high)),
    s("text", { class: "end", x: left - 5, y: bottom + 3 }, whole(chart.low)),
    s("line", { class: "axis", x1: left, x2: width - 8, y1: chart.zero, y2: chart.zero }),
    s("line", { class: "axis", x1: left, x2: left, y1: top, y2: bottom }),
    s("polyline", { points: chart.points.map(([x, y]) => `${x},${y}`).join(" ") }),
    chart.points.map(([x, y, text]) => s("circle", { cx: x, cy: y, r: 2.2 }, s("title", {}, text))),
    chart.jump !== null && [
      s("path", { class: "jump", d: `M${lastX} ${lastY}V${top + 3}m-3 5l3-5l3 5` }),
      s("text", { class: "jump end", x: lastX - 6, y: top + 16 }, `${chart.jump > 0 ? "+" : ""}${whole(chart.jump)}`),
    ],
    s("text", { class: "end", x: width - 8, y: height - 3 }, `step ${chart.points.length - (chart.jump === null ? 1 : 0)}`));
}
