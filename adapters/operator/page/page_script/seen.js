// What the person sees, as data: which things are at which places, and in which states.

export const LONGEST_LABEL = 60;

// What is seen before anything is entered: what is expected.
export function expectedOf(question) {
  const places = new Set(question.places.map(({ label }) => label));
  const placed = question.expected.filter(({ place }) => place !== null);
  const states = {};
  for (const { thing, place, states: said } of question.expected) {
    if (place === null && places.has(thing)) states[thing] = [...said];
  }
  return {
    things: placed.map((sighting) => ({ ...sighting, states: [...sighting.states], expected: true })),
    states,
    removed: [],
    unseen: [],
    photo: null,
  };
}

export class Seen {
  // draft: as of `expectedOf`; it is changed.
  constructor(question, draft) {
    this.question = question;
    this.draft = draft;
    this.places = new Map(question.places.map((place) => [place.label, place]));
  }

  // Things at a place, each followed by those on or in it: pairs of a sighting and its depth.
  at(place, depth = 0) {
    return this.draft.things
      .filter((each) => each.place === place)
      .flatMap((each) => [[each, depth], ...this.at(each.thing, depth + 1)]);
  }

  find(thing) {
    return this.draft.things.find((each) => each.thing === thing);
  }

  // The places of the question that were looked at.
  seenPlaces() {
    return this.question.places.filter(({ label }) => !this.draft.unseen.includes(label));
  }

  count() {
    return this.seenPlaces().reduce((sum, { label }) => sum + this.at(label).length, 0);
  }

  isAsExpected() {
    const now = this.draft.things;
    const before = this.question.expected.filter(({ place }) => place !== null);
    return now.length === before.length && now.every((each) => each.expected) && !this.draft.unseen.length;
  }

  put(thing, relation, place) {
    const known = this.find(thing);
    if (known && this.isAbove(thing, place)) return;
    this.draft.things = this.draft.things.filter((each) => each.thing !== thing);
    this.draft.things.push({ thing, relation, place, states: known?.states ?? [], expected: false });
  }

  // Remove a thing with what is on or in it.
  remove(thing) {
    const gone = new Set([thing, ...this.at(thing).map(([each]) => each.thing)]);
    this.draft.removed = this.draft.things.filter((each) => gone.has(each.thing));
    this.draft.things = this.draft.things.filter((each) => !gone.has(each.thing));
  }

  // What was removed last and can be put back as it was.
  get removed() {
    const { removed } = this.draft;
    const keeps = (place) => this.places.has(place) || this.find(place) || removed.some(({ thing }) => thing === place);
    return removed.every(({ thing, place }) => !this.find(thing) && keeps(place)) ? removed : [];
  }

  putBack() {
    this.draft.things.push(...this.removed);
    this.draft.removed = [];
  }

  // Whether a thing keeps a place, or is it.
  isAbove(thing, place) {
    for (let at = place; at !== undefined; at = this.find(at)?.place) if (at === thing) return true;
    return false;
  }

  toggleUnseen(place) {
    const { unseen } = this.draft;
    this.draft.unseen = unseen.includes(place) ? unseen.filter((each) => each !== place) : [...unseen, place];
  }

  statesOf(label) {
    return this.find(label)?.states ?? this.draft.states[label] ?? [];
  }

  // Say a state; its opposite ends. One without an opposite is taken back when it is said again.
  say(label, state) {
    const said = this.statesOf(label);
    const opposite = this.question.opposites[state];
    const others = said.filter((each) => each !== state && each !== opposite);
    const now = opposite === undefined && said.includes(state) ? others : [...others, state];
    const thing = this.find(label);
    if (thing) Object.assign(thing, { states: now, expected: false, proposed: false });
    else this.draft.states[label] = now;
  }

  // Take in what was made out in a photo. What the person entered stays, an earlier proposal ends.
  propose(sightings) {
    const { question, draft } = this;
    const exists = (place) => this.places.has(place) || this.find(place) !== undefined;
    const keepsOwn = (label) => draft.things.some((each) => each.place === label && !each.proposed);
    draft.things = draft.things.flatMap((each) => {
      if (!each.proposed || keepsOwn(each.thing)) return [each];
      return each.was && exists(each.was.place) ? [each.was] : [];
    });
    for (const { thing, relation, place, states } of sightings) {
      if (place === null) {
        const said = JSON.stringify(this.statesOf(thing));
        if (said === JSON.stringify(expectedOf(question).states[thing] ?? [])) states.forEach((state) => this.assume(thing, state));
        continue;
      }
      const was = this.find(thing);
      if (!exists(place) || (was && (!was.expected || this.isAbove(thing, place)))) continue;
      const others = (was?.states ?? []).filter((state) => !states.includes(question.opposites[state]));
      const now = [...new Set([...others, ...states])];
      if (was && was.place === place && was.relation === relation && now.length === others.length && others.length === was.states.length) continue;
      draft.things = draft.things.filter((each) => each !== was);
      draft.things.push({ thing, relation, place, states: now, expected: false, proposed: true, was: was ?? null });
    }
  }

  // A state of a place by a proposal.
  assume(place, state) {
    const others = this.statesOf(place).filter((each) => each !== state && each !== this.question.opposites[state]);
    this.draft.states[place] = [...others, state];
  }

  // How many things at the places are proposed.
  proposals() {
    return this.seenPlaces().flatMap(({ label }) => this.at(label)).filter(([each]) => each.proposed).length;
  }

  // Known things: those here, those that are nowhere yet, those at other places.
  offered(place) {
    const rank = ({ label }) => {
      const where = this.find(label)?.place;
      return where === place ? 0 : where === undefined ? 1 : 2;
    };
    return this.everything().filter(({ label }) => !this.isAbove(label, place)).sort((a, b) => rank(a) - rank(b));
  }

  // Known things, and new ones of this answer.
  everything() {
    const known = this.question.known;
    const labels = new Set(known.map(({ label }) => label));
    const fresh = this.draft.things.filter(({ thing }) => !labels.has(thing));
    return [...known, ...fresh.map(({ thing }) => ({ label: thing, category: thing, states: [] }))];
  }

  // The label for what was typed: that of a known thing that is nowhere yet, or a new number.
  labelFor(typed) {
    const wanted = typed.replace(/[\x00-\x1f\x7f]/g, " ").trim().replace(/ +/g, " ").slice(0, LONGEST_LABEL - 4);
    const same = (label) => label.toLowerCase() === wanted.toLowerCase();
    if (!wanted || this.question.reserved.some(same) || this.question.places.some(({ label }) => same(label))) return null;
    const labels = this.everything().map(({ label }) => label);
    const known = labels.find(same);
    if (known === undefined) return wanted;
    if (this.find(known) === undefined) return known;
    const base = known.replace(/ \d+$/, "");
    let number = 2;
    while (labels.includes(`${base} ${number}`)) number += 1;
    return `${base} ${number}`;
  }

  // The answer.
  toAnswer() {
    const { states, unseen, photo } = this.draft;
    const placed = this.seenPlaces().flatMap(({ label }) => this.at(label).map(([each]) => each));
    const stated = Object.entries(states).filter(([, said]) => said.length);
    return {
      kind: "seen",
      sightings: [
        ...placed.map(({ thing, relation, place, states: said }) => ({ thing, relation, place, states: said })),
        ...stated.map(([thing, said]) => ({ thing, states: said })),
      ],
      unseen,
      photo: photo?.name ?? null,
    };
  }
}
