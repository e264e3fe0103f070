// One episode: its steps beside the picture of the step that is read.

let shown = null; // the episode that is open: its key, row, data, step and parts of the page
let playing = 0;

// What is scrolled to stands below the bar, whose height depends on the instruction.
const barHeight = new ResizeObserver(([bar]) =>
  document.documentElement.style.setProperty("--bar", `${bar.target.offsetHeight}px`));

async function openEpisode(key, step) {
  const row = index.episodes.find((each) => each.key === key);
  if (!row) return false;
  if (shown?.key !== key) {
    stopPlaying();
    const article = byId("episode");
    shown = { key, row, data: null, step: 0 };
    article.replaceChildren(h("p", {}, "Opening …"));
    showOverview(false);
    scrollTo(0, 0);
    try {
      const data = await episodeData(key);
      if (shown?.key !== key) return true; // another one was opened meanwhile
      shown.data = { steps: [], after: [], tree: [], ...data };
      article.replaceChildren(...drawEpisode());
      barHeight.disconnect();
      barHeight.observe(shown.bar);
    } catch (error) {
      article.replaceChildren(h("p", { class: "warning" }, error.message), h("a", { href: "#episodes" }, "All episodes"));
      return true;
    }
  }
  if (shown.data) goToStep(step, true);
  return true;
}

function drawEpisode() {
  const { row, data, key } = shown;
  const run = index.runs[row.run];
  const { steps } = data;
  shown.stage = h("section", { class: "stage", "aria-label": "Picture of the step" });
  shown.range = h("input", { type: "range", min: 0, max: steps.length, step: 1, "aria-label": "step",
    oninput: (event) => moveTo(Number(event.target.value)) });
  shown.line = h("div", {});
  shown.caption = h("output", { "aria-live": "polite" });
  shown.play = h("button", { type: "button", "aria-pressed": "false", onclick: togglePlaying }, "▶ play");
  const list = h("ol", { class: "steps" },
    drawStart(data, key), steps.map((step) => drawStep(step, key, data.rewards)), drawEnd(row, data, key));
  list.addEventListener("click", (event) => {
    const at = event.target.closest(".step-line");
    if (at && !event.target.closest("a, summary, details")) moveTo(Number(at.closest("li").dataset.step));
  });
  return [
    drawHead(row, run, data, key),
    data.film ? h("details", { class: "film" }, h("summary", {}, "Film of the episode"),
      h("video", { src: data.film, controls: true, preload: "none", "aria-label": "film of the episode" })) : "",
    shown.bar = h("div", { class: "bar" },
      h("p", { class: "instruction", title: data.instruction, onclick: (event) => event.target.classList.toggle("whole") },
        data.instruction),
      h("div", { class: "controls" },
        h("button", { type: "button", onclick: () => moveBy(-1), title: "previous step (k)" }, "◀", h("span", { class: "aside" }, "previous step")),
        h("button", { type: "button", onclick: () => moveBy(1), title: "next step (j)" }, "▶", h("span", { class: "aside" }, "next step")),
        steps.length > 1 && shown.play,
        h("div", { class: "timeline" }, shown.line, shown.range), shown.caption)),
    h("div", { class: "watch" }, shown.stage, list),
  ];
}

function drawHead(row, run, data, key) {
  const neighbours = visibleKeys();
  const place = neighbours.indexOf(key);
  const link = (at, text) => neighbours[at] && h("a", { href: `#${neighbours[at]}` }, text);
  return h("header", {},
    h("div", { class: "episode-head" },
      h("a", { href: listAddress() }, "← all episodes"),
      h("h2", { tabindex: "-1" }, row.name),
      place > 0 && link(place - 1, "‹ previous"), place >= 0 && link(place + 1, "next ›")),
    h("p", { class: "soft" }, `episode ${row.number} of ${run.label} on ${run.suite} in ${run.adapter}`,
      run.mark && [" ", h("span", { class: "tag" }, run.mark)], ` · granted ${run.grants.join(", ")}`,
      Object.entries(row.labels).map(([name, value]) => ` · ${name}: ${value}`)),
    (data.damage || []).map((problem) => h("p", { class: "warning" }, problem)),
    h("p", { class: `ending ${row.mark}` }, `${signs[row.mark]} ${data.result ? data.result.text : row.verdict}`),
    data.why && h("p", { class: "failure" }, `Why: ${data.why.words}, decided at `,
      h("a", { href: `#${key}/${data.why.step}` }, data.why.step ? `step ${data.why.step}` : "the start")));
}

function drawStart(data, key) {
  return h("li", { id: "step-0", "data-step": 0 },
    h("div", { class: "step-line" },
      h("a", { class: "number", href: `#${key}/0` }, h("span", { class: "aside" }, "start, step "), "0"),
      h("div", {},
        data.world?.goal_text && h("p", { class: "goal" }, h("span", { class: "flag" }, "⚑ "), `Goal: ${data.world.goal_text}.`),
        h("p", { class: "observation" }, data.observation))));
}

function drawEnd(row, data, key) {
  const { result, why } = data;
  const subgoals = result && row.mark !== "success" ? result.subgoals : [];
  return h("li", {}, data.after.map(drawItem),
    h("p", { class: `ending ${row.mark}` }, `${signs[row.mark]} ${result ? result.text : row.verdict}`),
    subgoals.length ? h("ul", {}, subgoals.map((part) =>
      h("li", { class: part.holds ? "success" : "failure" }, `${part.holds ? "✓" : "✗"} ${part.text}`))) : null);
}

const moveBy = (steps) => moveTo(shown.step + steps);

// Go to a step and say so in the address; going back leads to the episode before, not the step.
function moveTo(step) {
  if (!shown?.data) return;
  const kept = Math.max(0, Math.min(step, shown.data.steps.length));
  history.replaceState(null, "", `#${shown.key}/${kept}`);
  goToStep(kept, false);
}

function goToStep(wanted, opened) {
  const { data } = shown;
  const step = Math.max(0, Math.min(wanted || 0, data.steps.length));
  shown.step = step;
  const items = [...byId("episode").querySelectorAll("ol.steps > li")];
  for (const item of items) item.removeAttribute("aria-current");
  const item = items[step];
  item.setAttribute("aria-current", "step");
  shown.range.value = step;
  shown.caption.textContent = timeText(data.steps, step);
  shown.line.replaceChildren(drawTimeline(data.steps, step));
  drawStage();
  placeStage();
  if (opened && !wanted) byId("episode").querySelector("h2").focus({ preventScroll: true });
  else item.scrollIntoView({ block: narrow.matches ? "start" : "nearest", behavior: "instant" });
}

// What is drawn of a step: the camera, the world, the belief, the agents.
function drawStage() {
  const { data, stage, step, row } = shown;
  const closed = new Set([...stage.querySelectorAll("details:not([open])")].map((each) => each.dataset.part));
  const part = (name, title, content) => content && h("details", { open: !closed.has(name), "data-part": name },
    h("summary", {}, title), content);
  const now = data.steps[step - 1];
  const camera = now ? now.image : data.image;
  const belief = beliefAt(data, step);
  const after = step ? `after step ${step}` : "at the start";
  stage.replaceChildren(...[
    part("camera", `Camera ${after}`, camera && drawPicture(camera, `what the camera saw ${after}`, "")),
    part("world", `World ${after}`, data.world && drawWorld(data.world, step, index.runs[row.run].grants, drawStage)),
    part("belief", `Belief before ${belief.step ? `step ${belief.step}` : "the end"}`, belief.belief && drawBelief(belief.belief)),
    part("tree", `Agents ${after}`, data.tree.length > 0 && drawTree(data.tree, step)),
    part("rewards", "Rewards", data.rewards && drawRewards(data.rewards)),
    !data.world && !camera && h("p", { class: "soft" }, "The recording does not tell the world of this episode."),
  ].filter(Boolean));
}

// The newest belief that led to a step, or to one before it.
function beliefAt(data, step) {
  for (const each of data.steps.slice(0, Math.max(step, 1)).reverse()) {
    const found = (each.before || []).findLast((item) => item.belief);
    if (found) return { step: each.number, belief: found.belief };
  }
  const found = step === data.steps.length && data.after.findLast((item) => item.belief);
  return found ? { step: 0, belief: found.belief } : {};
}

const narrow = matchMedia("(max-width: 56rem)");

// On narrow screens the picture stands in the step itself.
function placeStage() {
  const watch = byId("episode").querySelector(".watch");
  if (!watch) return;
  const item = watch.querySelector("ol.steps > li[aria-current]");
  if (narrow.matches) item.append(shown.stage);
  else watch.prepend(shown.stage);
}

narrow.addEventListener("change", () => shown?.data && placeStage());

function togglePlaying() {
  if (playing) return stopPlaying();
  if (shown.step >= shown.data.steps.length) moveTo(0);
  shown.play.textContent = "❚❚ pause";
  shown.play.setAttribute("aria-pressed", "true");
  playing = setInterval(() => {
    if (shown.step >= shown.data.steps.length) stopPlaying();
    else moveBy(1);
  }, 900);
}

function stopPlaying() {
  clearInterval(playing);
  playing = 0;
  if (!shown?.play) return;
  shown.play.textContent = "▶ play";
  shown.play.setAttribute("aria-pressed", "false");
}
