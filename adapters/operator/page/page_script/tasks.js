// The questions of a room and of an action: prepare, do, confirm.

import { button, el, sheet } from "./dom.js";

// What every question begins with: what to do.
export function heading(question, text) {
  return [
    el("h1", { tabindex: "-1", id: "question", "aria-describedby": "repeated mind" }, text),
    question.repeated
      ? el(
          "p",
          { class: "mind", id: "repeated" },
          question.kind === "do"
            ? "This was asked before the interruption. If you have done it already, do not do it again: answer how it went."
            : "This was asked before the interruption, and has no answer yet.",
        )
      : null,
  ];
}

// What every question ends with: the task, and its criteria as switches. draft.criteria is changed.
export function judged(question, draft, changed) {
  const task = el("p", {}, el("span", { class: "soft" }, "Task: "), question.instruction);
  return el("div", { class: "judged" }, task, question.criteria.length ? criteria(question, draft, changed) : null);
}

function criteria(question, draft, changed) {
  return el(
    "fieldset",
    { class: "criteria" },
    el("legend", {}, "What is true now?"),
    question.criteria.map(({ text }, index) => {
      const box = el("input", {
        type: "checkbox",
        role: "switch",
        onchange: () => {
          draft.criteria[index] = box.checked;
          changed();
        },
      });
      box.checked = draft.criteria[index];
      return el("label", { class: "switch" }, el("span", {}, text), box);
    }),
  );
}

// Lines to go through, each with a tick that is the person's own.
function lines(question, draft, changed) {
  draft.ticks ??= [];
  return el(
    "ul",
    { class: "lines" },
    question.lines.map((line, index) => {
      const box = el("input", {
        type: "checkbox",
        onchange: () => {
          draft.ticks[index] = box.checked;
          changed();
        },
      });
      box.checked = Boolean(draft.ticks[index]);
      return el("li", {}, el("label", { class: "line" }, box, el("span", {}, line)));
    }),
  );
}

function prepare({ question, draft, changed, answer }) {
  const again = question.trial > 1 ? ` This is trial ${question.trial}.` : "";
  return {
    main: [
      heading(question, `Prepare the room.${again}`),
      lines(question, draft, changed),
      judged(question, draft, changed),
    ],
    bar: [button("The room is ready", () => answer("The room is ready", { kind: "ready" }), { class: "main" })],
  };
}

function confirm({ question, draft, changed, answer }) {
  return {
    main: [
      heading(question, "Is the room like this?"),
      el("p", {}, "The run was interrupted. If something is different, put it right first."),
      question.pending
        ? el("p", { class: "mind" }, `If you have done this already, leave it so: ${question.pending}`)
        : null,
      lines(question, draft, changed),
      judged(question, draft, changed),
    ],
    bar: [button("The room is like this", () => answer("The room is like this", { kind: "confirmed" }), { class: "main" })],
  };
}

function act({ question, draft, changed, answer }) {
  return {
    main: [
      heading(question, question.text),
      question.safety ? el("p", { class: "mind", id: "mind" }, el("strong", {}, "Caution: "), question.safety) : null,
      question.tries > 1 ? el("p", { class: "soft" }, `You may try up to ${question.tries} times before it counts as failed.`) : null,
      judged(question, draft, changed),
    ],
    bar: [
      el(
        "div",
        { class: "pair" },
        button("It failed", () => askWhyFailed(question, draft, changed, answer), { "aria-haspopup": "dialog", "data-key": "failed" }),
        button("Do not allow", () => askWhyRefused(draft, changed, answer), { "aria-haspopup": "dialog", "data-key": "refused" }),
      ),
      button("Done", () => answer("Done", { kind: "done" }), { class: "main" }),
    ],
  };
}

function askWhyFailed(question, draft, changed, answer) {
  sheet("Why did it fail?", (refill, close) => {
    const words = el("input", {
      type: "text",
      id: "words",
      maxlength: "400",
      autocomplete: "off",
      oninput: () => {
        draft.words = words.value;
        changed();
      },
    });
    words.value = draft.words ?? "";
    const reasons = question.reasons.map(({ reason, words: said }) =>
      button(said, () => {
        close();
        answer(`Failed: ${said}`, { kind: "failed", reason, words: draft.words ?? "" });
      }, { class: "wide" }),
    );
    return [
      el("label", { class: "field" }, el("span", {}, "Note, if you like (the robot does not read it)"), words),
      el("div", { class: "stack" }, reasons),
    ];
  });
}

const USUAL_WORDS = ["it is not safe", "something could break", "somebody is in the way"];

function askWhyRefused(draft, changed, answer) {
  const refuse = (words) => {
    dialog.close();
    answer(`Not allowed: ${words}`, { kind: "refused", words });
  };
  const input = el("input", {
    type: "text",
    maxlength: "400",
    autocomplete: "off",
    enterkeyhint: "send",
    oninput: () => {
      draft.refusal = input.value;
      changed();
      send.disabled = !input.value.trim();
    },
    onkeydown: (event) => { if (event.key === "Enter" && !send.disabled) refuse(input.value.trim()); },
  });
  input.value = draft.refusal ?? "";
  const send = button("Do not allow it", () => refuse(input.value.trim()), { class: "wide danger" });
  send.disabled = !input.value.trim();
  const dialog = sheet(
    "Why is it not allowed?",
    () => [
      el("p", { class: "soft" }, "The robot reads this reason."),
      el("div", { class: "stack" }, USUAL_WORDS.map((said) => button(said, () => refuse(said), { class: "wide" }))),
    ],
    { foot: [el("label", { class: "field" }, el("span", {}, "Another reason"), input), send] },
  );
}

export const SCREENS = { prepare, confirm, do: act };
