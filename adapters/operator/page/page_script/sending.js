// An answer on its way: it can be undone for a while, and is sent until the server has it.

import { button, el, fill } from "./dom.js";
import { preferences } from "./preferences.js";
import { Problem, sendAnswer } from "./talk.js";

// Show an answer in the bar with a way back, then call send(). undone: called instead.
export function hold(bar, label, send, undone) {
  if (preferences.undo === "0") {
    send();
    return;
  }
  const asks = preferences.undo === "ask";
  let timer = 0;
  const once = (call) => () => { clearTimeout(timer); call(); };
  const now = button(asks ? "Send" : "Send now", once(send), { class: "main" });
  fill(
    bar,
    el("p", { class: "held", role: "status" }, asks ? `Send “${label}”?` : `“${label}” is sent in ${preferences.undo} s.`),
    asks ? null : el("span", { class: `running s${preferences.undo}`, "aria-hidden": "true" }),
    button("Undo", once(undone), { class: "wide" }),
    now,
  );
  now.focus();
  if (!asks) timer = setTimeout(once(send), Number(preferences.undo) * 1000);
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// Send an answer; again while the server cannot be reached. It is taken once. Throws a Problem.
export async function deliver(number, answer, onTrouble) {
  for (;;) {
    try {
      await sendAnswer(number, answer);
      onTrouble("");
      return;
    } catch (problem) {
      if (!(problem instanceof Problem) || problem.status !== 0) throw problem;
      onTrouble(problem.message);
      await pause(2000);
    }
  }
}
