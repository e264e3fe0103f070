// The menu: how the page behaves on this device, and how to stop for now.

import { button, el, sheet } from "./dom.js";
import { leave } from "./talk.js";

const KEY = "peephole-operator-preferences";
const USUAL = { undo: "3", awake: true, vibrate: true };

export const preferences = { ...USUAL };
try {
  Object.assign(preferences, JSON.parse(localStorage.getItem(KEY)));
} catch {
  // What is stored is not ours: the usual.
}

let lock = null;

// Keep the screen on while the page is looked at, where the browser can.
export async function stayAwake() {
  if (!preferences.awake) {
    await lock?.release();
    lock = null;
  } else if (document.visibilityState === "visible" && (lock === null || lock.released)) {
    try {
      lock = (await navigator.wakeLock?.request("screen")) ?? null;
    } catch {
      lock = null; // the battery is low, say
    }
  }
}

// Draw attention to a new question.
export function buzz() {
  if (preferences.vibrate && navigator.userActivation?.hasBeenActive) navigator.vibrate?.(120);
}

function change(name, value) {
  preferences[name] = value;
  localStorage.setItem(KEY, JSON.stringify(preferences));
  stayAwake();
}

function ticked(name, text) {
  const box = el("input", { type: "checkbox", onchange: () => change(name, box.checked) });
  box.checked = preferences[name];
  return el("label", { class: "line" }, box, el("span", {}, text));
}

const UNDO = [["0", "Send at once"], ["3", "3 seconds to undo"], ["8", "8 seconds to undo"], ["ask", "Ask before sending"]];

export function openMenu(onProblem) {
  let sure = false;
  sheet(
    "Menu",
    (refill, close) => {
      const select = el(
        "select",
        { onchange: () => change("undo", select.value) },
        UNDO.map(([value, text]) => el("option", { value }, text)),
      );
      select.value = preferences.undo;
      const stop = async () => {
        try {
          await leave();
          close();
        } catch (problem) {
          close();
          onProblem(problem.message);
        }
      };
      return [
        el("label", { class: "field" }, el("span", {}, "After a tap on an answer"), select),
        ticked("awake", "Keep the screen on"),
        ticked("vibrate", "Vibrate at a new question"),
        el("p", { class: "soft" }, "A run that stops for now goes on later, at the same question."),
        sure
          ? button("Stop the run now", stop, { class: "wide danger", "data-key": "stop" })
          : button("Stop for now", () => { sure = true; refill(); }, { class: "wide", "data-key": "stop" }),
      ];
    },
    { closing: "Close" },
  );
}
