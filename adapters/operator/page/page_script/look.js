// The question of what is to be seen.

import { button, choices, el, sheet } from "./dom.js";
import { kept, upload } from "./photo.js";
import { LONGEST_LABEL, Seen, expectedOf } from "./seen.js";
import { readAgain } from "./talk.js";
import { heading, judged } from "./tasks.js";

const WORDS = { on: "on", inside: "in", under: "under" };
const RELATIONS = ["on", "inside", "under"];
// A label with its article, which names do without: "the fridge", "Andrew's desk".
const the = (label) => (/^\p{Lu}/u.test(label) ? label : `the ${label}`);
const inWords = (state) => state.replaceAll("_", " ");

// Groups of states that exclude each other.
function stateGroups(states, opposites) {
  const groups = [];
  for (const state of states) {
    const group = groups.find(([first]) => opposites[first] === state);
    if (group) group.push(state);
    else groups.push([state]);
  }
  return groups;
}

function stateButtons(seen, label, states, changed) {
  return stateGroups(states, seen.question.opposites).map((group) =>
    choices(
      `${label} is`,
      group.map((state) => [state, inWords(state)]),
      seen.statesOf(label),
      (state) => { seen.say(label, state); changed(); },
    ),
  );
}

export function look({ question, draft, changed, answer, redraw, problem }) {
  draft.look ??= expectedOf(question);
  draft.look.photo = kept(draft.look.photo);
  const seen = new Seen(question, draft.look);
  const update = () => { changed(); redraw(); };
  const { photo } = draft.look;
  const reading = photo ? question.readings?.[photo.name] : undefined;
  if (reading?.read && draft.look.proposedFrom !== photo.name) {
    seen.propose(reading.sightings);
    draft.look.proposedFrom = photo.name;
    changed();
  }
  return {
    main: [
      heading(question, question.text),
      readingShown(question, photo, reading, problem),
      question.places.map((place) => placeCard(seen, place, update)),
      photoShown(draft.look, update),
      judged(question, draft, changed),
    ],
    bar: [
      putBack(seen, update),
      photoButton(question, draft.look, update, problem),
      button(sendWords(seen), () => answer(summary(seen), seen.toAnswer()), { class: "main" }),
    ],
  };
}

const things = (count) => (count === 1 ? "1 thing" : `${count} things`);

function summary(seen) {
  const { unseen, photo } = seen.draft;
  const count = seen.count();
  const all = unseen.length === seen.question.places.length;
  const what = all ? "Nothing could be seen" : count ? things(count) : "Nothing is there";
  return photo ? `${what}, with a photo` : what;
}

function sendWords(seen) {
  const proposed = seen.proposals();
  const expected = seen.isAsExpected() && seen.count() ? ", as expected" : "";
  const more = proposed ? `, ${proposed} proposed` : expected;
  return el("span", {}, "Send", el("small", {}, summary(seen) + more));
}

function placeCard(seen, place, update) {
  const { label, relations, states } = place;
  const unseen = seen.draft.unseen.includes(label);
  const rows = unseen ? [] : seen.at(label).map(([each, depth]) => thingRow(seen, each, depth, update));
  const id = `place-${seen.question.places.indexOf(place)}`;
  const keeps = relations.length > 0;
  const none = unseen ? "Not seen" : rows.length || !keeps ? "" : "Nothing entered";
  const note = [place.is_room ? "Not on furniture" : "", none].filter(Boolean).join(". ");
  const hide = button("Cannot see", () => { seen.toggleUnseen(label); update(); }, {
    "aria-pressed": String(unseen),
    "aria-label": `Cannot see: ${label}`,
    "data-key": `unseen ${label}`,
  });
  const add = button("Add", () => addSheet(seen, label, relations, update), {
    class: "add",
    "aria-haspopup": "dialog",
    "aria-label": `Add things: ${label}`,
    "data-key": `add ${label}`,
    disabled: unseen,
  });
  return el(
    "section",
    { class: unseen ? "place unseen" : "place", "aria-labelledby": id },
    el("div", { class: "place-head" }, el("div", {}, el("h2", { id }, label), note ? el("small", {}, note) : null), hide, keeps ? add : null),
    unseen ? null : stateButtons(seen, label, states, update),
    rows.length ? el("ul", { class: "things" }, rows) : null,
  );
}

function thingRow(seen, each, depth, update) {
  const { thing, relation, states, expected, proposed, place } = each;
  const several = (seen.places.get(place)?.relations ?? RELATIONS).length > 1;
  const where = several ? `${WORDS[relation]} ${depth ? place : "it"}` : "";
  const notes = [where, ...states.map(inWords), expected ? "expected" : "", proposed ? "proposed" : ""].filter(Boolean).join(", ");
  return el(
    "li",
    { class: `depth${Math.min(depth, 3)}` },
    button([el("b", {}, thing), notes ? el("small", {}, notes) : null], () => thingSheet(seen, thing, update), {
      class: `thing${expected ? " expected" : ""}${proposed ? " proposed" : ""}`,
      "aria-haspopup": "dialog",
      "data-key": `thing ${thing}`,
    }),
    button("✕", () => { seen.remove(thing); update(); }, { class: "remove", "aria-label": `Remove ${thing}` }),
  );
}

// Choose things for a place, or for a thing that keeps others. The order of the things stays while
// the sheet is open, so that nothing moves under the thumb.
function addSheet(seen, place, relations, update) {
  let relation = relations[0];
  let refill = () => {};
  const order = seen.offered(place).map(({ label }) => label);
  const toggle = (label) => {
    const where = seen.find(label);
    if (where?.place === place && where.relation === relation) seen.remove(label);
    else seen.put(label, relation, place);
    if (!order.includes(label)) order.unshift(label);
    update();
    field.clear();
    refill();
  };
  const field = newThing(seen, () => refill(), toggle);
  const build = (again) => {
    refill = again;
    const offered = order.filter((label) => label.toLowerCase().includes(field.typed().toLowerCase()));
    return [
      relations.length > 1
        ? choices("Where", relations.map((each) => [each, WORDS[each]]), [relation], (each) => { relation = each; refill(); })
        : null,
      el("div", { class: "chips" }, offered.map((label) => chip(seen, label, place, relations, toggle))),
    ];
  };
  const where = new Intl.ListFormat("en-GB", { type: "disjunction" }).format(relations.map((each) => WORDS[each]));
  const title = `What is ${where} ${the(place)}${seen.places.get(place)?.is_room ? ", not on furniture" : ""}?`;
  sheet(title, build, { closing: "Close", foot: field.elements, tall: true });
}

function chip(seen, label, place, relations, toggle) {
  const where = seen.find(label);
  const here = where?.place === place;
  const known = where && (!here || relations.length > 1);
  const note = known ? `${WORDS[where.relation]} ${here ? "it" : where.place}` : "";
  return button([label, note ? el("small", {}, note) : null], () => toggle(label), {
    "aria-pressed": String(here),
    "data-key": `chip ${label}`,
  });
}

// A field that narrows the known things, and adds one that is not known. Its elements stay, since
// a phone's keyboard closes with the field it writes to.
function newThing(seen, onType, add) {
  const typed = () => input.value.trim();
  const show = () => {
    const label = seen.labelFor(typed());
    submit.textContent = label === null ? "Add" : `Add ${label}`;
    submit.disabled = label === null;
    taken.hidden = label !== null || !typed();
  };
  const addTyped = () => {
    const label = seen.labelFor(typed());
    if (label !== null) add(label);
  };
  const input = el("input", {
    type: "text",
    maxlength: String(LONGEST_LABEL - 4),
    autocomplete: "off",
    autocapitalize: "none",
    enterkeyhint: "done",
    placeholder: "Another thing",
    "aria-label": "Another thing",
    oninput: () => { show(); onType(); },
    onkeydown: (event) => { if (event.key === "Enter") addTyped(); },
  });
  const submit = button("Add", addTyped, { disabled: true });
  const taken = el(
    "p",
    { class: "soft", role: "status", hidden: true },
    "This is a place of the room; choose another name.",
  );
  const clear = () => { input.value = ""; show(); };
  return { typed, clear, elements: [taken, el("div", { class: "typing" }, input, submit)] };
}

function thingSheet(seen, thing, update) {
  const states = seen.everything().find(({ label }) => label === thing)?.states ?? [];
  sheet(
    thing,
    (refill, close) => {
      const change = () => { update(); refill(); };
      const sighting = seen.find(thing);
      if (sighting === undefined) return [];
      const relations = seen.places.get(sighting.place)?.relations ?? RELATIONS;
      return [
        relations.length > 1
          ? choices(`${sighting.place}:`, relations.map((each) => [each, WORDS[each]]), [sighting.relation], (each) => {
              Object.assign(sighting, { relation: each, expected: false, proposed: false });
              change();
            })
          : null,
        stateButtons(seen, thing, states, change),
        button("Add things on or in it", () => { close(); addSheet(seen, thing, RELATIONS, update); }, { class: "wide" }),
        button("It is not there", () => { close(); seen.remove(thing); update(); }, { class: "wide" }),
      ];
    },
    { closing: "Close" },
  );
}

function photoButton(question, draft, update, problem) {
  const input = el("input", {
    type: "file",
    accept: "image/*",
    capture: "environment",
    class: "spoken",
    tabindex: "-1",
    "aria-hidden": "true",
    onchange: async () => {
      if (!input.files.length) return;
      problem("");
      trigger.disabled = true;
      trigger.textContent = "Sending the photo …";
      try {
        draft.photo = await upload(question.asked, input.files[0]);
      } catch (refused) {
        problem(refused.message);
      }
      update();
    },
  });
  const trigger = button(draft.photo ? "Take the photo again" : "Take a photo", () => input.click(), { class: "wide", "data-key": "photo" });
  return el("div", { class: "photo-button" }, input, trigger);
}

// A way back after a thing was removed.
function putBack(seen, update) {
  const { removed } = seen;
  if (!removed.length) return null;
  return button(`Put back: ${removed.map(({ thing }) => thing).join(", ")}`, () => { seen.putBack(); update(); }, {
    class: "wide",
    "data-key": "back",
  });
}

// What became of the photo. reading: null while it is read, undefined where nothing reads photos.
function readingShown(question, photo, reading, problem) {
  if (reading === undefined) return null;
  const again = () => readAgain(question.asked, photo.name).catch((refused) => problem(refused.message));
  return el(
    "section",
    { class: "reading", "aria-label": "Reading of the photo" },
    el("p", {}, reading?.words ?? "The photo is being read. You can enter things meanwhile."),
    reading && !reading.read ? button("Read the photo again", again, { class: "wide", "data-key": "read" }) : null,
  );
}

function photoShown(draft, update) {
  if (!draft.photo) return null;
  const shown = el("img", {
    src: draft.photo.url,
    alt: "The photo of this answer",
    onerror: () => shown.replaceWith(el("p", {}, "The photo is kept.")), // after a reload
  });
  return el(
    "section",
    { class: "place", "aria-label": "Photo" },
    el("h2", {}, "Photo"),
    el("p", { class: "soft" }, "A planner may look at it. Enter what you see as well."),
    shown,
    button("Remove the photo", () => { draft.photo = null; update(); }, { class: "wide", "data-key": "unphoto" }),
  );
}
