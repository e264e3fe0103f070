// Addresses and keys.

const keys = [
  ["/", "search the episodes"], ["j or k", "next or previous step, or row of the list"],
  ["→ or ←", "next or previous step"], ["Home or End", "the start or the last step"],
  ["n or p", "next or previous episode of the list"], ["space", "play or pause the steps"],
  ["w", "the step that decided a failure"], ["f", "failures alone, or all episodes"],
  ["Esc or u", "back to all episodes"], ["?", "this list"],
];
const marks = [
  ["progress-line", "progress of the goal"], ["tick-ok", "a step"], ["tick-failed", "a step that failed"],
  ["tick-now", "the step that is shown"],
];
let readTo = 0; // how far the overview was scrolled

function showOverview(visible) {
  if (!visible && !byId("overview").hidden) readTo = scrollY;
  byId("overview").hidden = !visible;
  byId("episode").hidden = visible;
  document.body.classList.toggle("watching", !visible);
}

// #run1/12/3: an episode and its step; #episodes?suite=…: the list; else a section.
async function route() {
  const address = decodeURIComponent(location.hash.slice(1));
  const [, key, step] = address.match(/^(run\d+\/\d+)(?:\/(\d+))?$/) || [];
  if (key && (await openEpisode(key, Number(step || 0)))) return;
  const came = shown?.key;
  stopPlaying();
  shown = null;
  showOverview(true);
  const raw = location.hash.slice(1);
  if (/^episodes(\?|$)/.test(raw)) {
    setFilters(raw.slice("episodes?".length));
    if (came) scrollTo({ top: readTo, behavior: "instant" });
    const row = came && byId("rows").querySelector(`a[href="#${came}"], a[href^="#${came}/"]`);
    if (row) row.focus({ preventScroll: readTo > 0 });
    if (!came || readTo === 0) byId("episodes").scrollIntoView();
    return;
  }
  const section = byId(address);
  if (section?.matches("details")) section.open = true;
  if (section) section.scrollIntoView();
}

const within = (tags) => document.activeElement?.matches(tags);

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || byId("help").open) return;
  if (within("input[type=search], select, textarea")) {
    if (event.key === "Escape") document.activeElement.blur();
    return;
  }
  if (!byId("keys-on").checked && !["Escape", "Home", "End", "ArrowLeft", "ArrowRight"].includes(event.key)) return;
  const act = (shown?.data ? episodeKeys(event.key) : listKeys(event.key)) || anyKeys(event.key);
  if (!act) return;
  event.preventDefault();
  act();
}

function episodeKeys(key) {
  if (within("input") && key.startsWith("Arrow")) return null; // the slider's own
  if (within("button, summary") && key === " ") return null;
  const last = shown.data.steps.length;
  const neighbour = (by) => () => {
    const found = visibleKeys();
    const next = found[found.indexOf(shown.key) + by];
    if (found.includes(shown.key) && next) location.hash = next;
  };
  return {
    j: () => moveBy(1), k: () => moveBy(-1), ArrowRight: () => moveBy(1), ArrowLeft: () => moveBy(-1),
    Home: () => moveTo(0), End: () => moveTo(last), n: neighbour(1), p: neighbour(-1),
    " ": () => last > 1 && togglePlaying(), w: () => shown.data.why && moveTo(shown.data.why.step),
    u: () => { location.hash = listAddress(); }, Escape: () => { location.hash = listAddress(); },
  }[key];
}

function listKeys(key) {
  const move = (by) => () => {
    const rows = [...byId("rows").querySelectorAll("a")];
    const next = rows.indexOf(document.activeElement) + by;
    rows[Math.max(0, Math.min(next, rows.length - 1))]?.focus();
  };
  return { j: move(1), k: move(-1) }[key];
}

function anyKeys(key) {
  return {
    "?": () => byId("help").showModal(),
    "/": () => {
      if (shown) location.hash = listAddress();
      setTimeout(() => byId("filters").elements.q.focus());
    },
    f: () => { location.hash = `#episodes${filters.result === "failure" ? "" : "?result=failure"}`; },
  }[key];
}

byId("keys").append(...keys.flatMap(([key, meaning]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, meaning)]));
byId("marks").append(...marks.flatMap(([name, meaning]) =>
  [h("dt", {}, s("svg", { class: "mark", viewBox: "0 0 24 12" }, s("rect", { class: name, x: 0, y: 2, width: 24, height: 8 }))), h("dd", {}, meaning)]));
byId("help-button").addEventListener("click", () => byId("help").showModal());
buildFilters();
drawRows();
addEventListener("hashchange", route);
addEventListener("keydown", onKey);
route();
