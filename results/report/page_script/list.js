// The list of episodes: search, filters and order, all of them in the address.

const many = 200; // rows that are shown at once
const filters = { q: "", result: "", planner: "", suite: "", class: "", label: "", order: "failures" };
let rowsShown = many;

const choices = {
  result: ["failure", "success", "open"],
  planner: distinct(index.episodes.map((row) => row.planner)),
  suite: distinct(index.runs.map((run) => run.suite)),
  class: distinct(index.episodes.map((row) => row.class).filter(Boolean)),
  label: labelChoices(),
};
const choiceWords = { failure: "failures", success: "successes", open: "not finished or not scored" };

function distinct(values) { return [...new Set(values)].sort(); }

// Labels that group episodes; those that are another text for each are left to the search.
function labelChoices() {
  const found = new Map();
  for (const row of index.episodes)
    for (const [name, value] of Object.entries(row.labels)) {
      if (!found.has(name)) found.set(name, new Set());
      found.get(name).add(value);
    }
  return [...found].flatMap(([name, values]) =>
    values.size > 1 && values.size <= 40 ? [...values].sort().map((value) => `${name}=${value}`) : []);
}

function buildFilters() {
  const form = byId("filters");
  for (const [name, values] of Object.entries(choices)) {
    if (values.length < (name === "result" || name === "class" ? 1 : 2)) continue;
    form.append(h("label", {}, name, h("select", { name },
      h("option", { value: "" }, "all"), values.map((value) => h("option", { value }, choiceWords[value] || value)))));
  }
  form.append(h("label", {}, "order", h("select", { name: "order" },
    [["failures", "failures first"], ["number", "as played"], ["steps", "most steps"], ["tokens", "most tokens"]]
      .map(([value, label]) => h("option", { value }, label)))));
  form.addEventListener("input", () => {
    for (const field of form.elements) if (field.name) filters[field.name] = field.value;
    rowsShown = many;
    history.replaceState(null, "", listAddress());
    drawRows();
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  byId("more").addEventListener("click", () => { rowsShown = Infinity; drawRows(); });
}

// The address of the list as it is filtered.
function listAddress() {
  const set = Object.entries(filters).filter(([name, value]) => value && !(name === "order" && value === "failures"));
  const query = new URLSearchParams(set).toString();
  return query ? `#episodes?${query}` : "#episodes";
}

function setFilters(query) {
  const wanted = new URLSearchParams(query);
  for (const name of Object.keys(filters)) filters[name] = wanted.get(name) || (name === "order" ? "failures" : "");
  for (const field of byId("filters").elements) if (field.name) field.value = filters[field.name];
  rowsShown = many;
  drawRows();
}

function searched(row) {
  row.text ||= [row.name, row.instruction, row.verdict, row.class, row.planner, index.runs[row.run].suite,
    ...Object.values(row.labels)].join("\n").toLowerCase();
  return row.text;
}

function passing() {
  const words = filters.q.toLowerCase().split(/\s+/).filter(Boolean);
  const [label, ...value] = filters.label.split("=");
  return ordered(index.episodes.filter((row) =>
    (!filters.result || row.mark === filters.result) && (!filters.planner || row.planner === filters.planner) &&
    (!filters.suite || index.runs[row.run].suite === filters.suite) && (!filters.class || row.class === filters.class) &&
    (!filters.label || row.labels[label] === value.join("=")) && words.every((word) => searched(row).includes(word))));
}

function ordered(rows) {
  const rank = { failure: 0, open: 1, success: 2 };
  const by = {
    failures: (one, other) => rank[one.mark] - rank[other.mark],
    steps: (one, other) => (other.steps || 0) - (one.steps || 0),
    tokens: (one, other) => other.tokens - one.tokens,
  }[filters.order];
  return by ? [...rows].sort(by) : rows; // a stable sort: else as played
}

const visibleKeys = () => passing().map((row) => row.key);

function drawRows() {
  const rows = passing();
  byId("found").textContent = `${rows.length.toLocaleString("en")} of ${plural(index.episodes.length, "episode")}`;
  byId("rows").replaceChildren(...rows.slice(0, rowsShown).map(drawRow));
  byId("more").hidden = rows.length <= rowsShown;
  byId("more").textContent = `show all ${rows.length.toLocaleString("en")}`;
}

function drawRow(row) {
  const run = index.runs[row.run];
  const figures = [row.progress !== null && row.progress !== undefined && percent(row.progress),
    row.steps !== undefined && plural(row.steps, "step")].filter(Boolean).join(" · ");
  return h("li", {}, h("a", { href: `#${row.key}${row.class ? `/${row.step}` : ""}` },
    h("span", { class: "soft" }, row.number),
    h("span", { class: "row-task" }, row.name, h("small", {}, row.instruction)),
    h("span", { class: "row-who soft" }, run.label, run.mark && [" ", h("span", { class: "tag" }, run.mark)], h("small", { class: "folds" }, run.suite)),
    h("span", { class: "row-figures" }, h("span", { class: row.mark }, `${signs[row.mark]} ${row.class || row.verdict}`),
      h("small", {}, figures, row.tokens ? ` · ${row.tokens.toLocaleString("en")} tokens` : ""))));
}
