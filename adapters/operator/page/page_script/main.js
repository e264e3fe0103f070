// The page of the operator: it shows the open question, and takes its answer.

import { button, el, fill } from "./dom.js";
import { draftOf, saveDraft } from "./draft.js";
import { look } from "./look.js";
import { buzz, openMenu, stayAwake } from "./preferences.js";
import { deliver, hold } from "./sending.js";
import { SCREENS } from "./tasks.js";
import { Problem, openLink, state } from "./talk.js";

const screens = { ...SCREENS, look };
const [main, bar, progress, note] = ["main", "bar", "progress", "note"].map((id) => document.getElementById(id));
const problemLine = document.getElementById("problem");
// Taps in the first moments were meant for what was there before.
const SETTLING_MS = 450;

let shown = ""; // what is on the page
let shownAt = 0;
let sent = null; // { number, label } of the last answer
let kept = 0;
let takeReadings = () => {}; // of the photos of the question on the page

function problem(words) {
  problemLine.textContent = words;
  problemLine.hidden = !words;
}

function noteSent() {
  note.textContent = sent ? `${kept >= sent.number ? "Saved" : "Sent"}: ${sent.label}` : "";
}

function message(title, words = "", waits = false) {
  document.title = title;
  fill(
    main,
    el("h1", { tabindex: "-1", id: "question" }, title),
    words ? el("p", {}, words) : null,
    waits ? el("p", { class: "dots", "aria-hidden": "true" }, el("i"), el("i"), el("i")) : null,
  );
  fill(bar);
  if (!waits) document.getElementById("question").focus();
}

function ask(number, question, readings) {
  const fresh = { criteria: question.criteria.map(({ holds }) => holds) };
  const draft = draftOf(question, fresh);
  const asked = { ...question, asked: number, readings };
  const isShown = () => shown === `question ${number}`; // a photo may arrive later
  const changed = () => { if (isShown()) saveDraft(question, draft); };
  const redraw = () => { if (isShown() && !main.inert) draw(false); };
  const draw = (focus) => {
    const parts = screens[question.kind]({ question: asked, draft, changed, answer, redraw, problem });
    fill(main, parts.main);
    fill(bar, parts.bar);
    if (focus) document.getElementById("question").focus({ preventScroll: true });
  };
  const answer = (label, data) => {
    const whole = { ...data, criteria: [...draft.criteria] };
    problem("");
    main.inert = true;
    shownAt = performance.now(); // so that a tap twice in a row does not send at once
    const back = () => { main.inert = false; draw(true); };
    hold(bar, label, () => send(number, label, whole, back), back);
  };
  takeReadings = (news) => {
    if (JSON.stringify(news) === JSON.stringify(asked.readings)) return;
    asked.readings = news;
    const last = Object.values(news).at(-1);
    note.textContent = last ? (last.read ? "The photo was read." : "The photo was not read.") : "Reading the photo …";
    redraw();
  };
  document.title = question.text ?? question.instruction;
  progress.textContent = question.step ? `Step ${question.step}${question.step_limit ? ` of ${question.step_limit}` : ""}` : "";
  main.scrollTop = 0;
  draw(true);
}

async function send(number, label, answer, back) {
  sent = { number, label };
  fill(bar, el("p", { class: "held", role: "status" }, "Sending …"));
  try {
    await deliver(number, answer, problem);
    noteSent();
  } catch (refused) {
    sent = null;
    if (refused.status === 422 || refused.status === 400) back();
    if (refused.status !== 401) problem(refused.message); // then the page closes
  }
}

function show(news) {
  kept = news.kept;
  if (kept === 0 && sent && news.state === "question" && news.number === 1) sent = null; // a new run
  noteSent();
  const what = `${news.state} ${news.number ?? ""}`;
  if (what === shown) {
    if (news.state === "question") takeReadings(news.readings);
    return;
  }
  shown = what;
  shownAt = performance.now();
  main.inert = false;
  document.querySelectorAll("dialog").forEach((dialog) => dialog.close());
  if (news.state === "question") {
    ask(news.number, news.question, news.readings);
    buzz();
  } else if (news.state === "ended") {
    progress.textContent = "";
    message("The end", news.words);
  } else {
    message("Wait for the next action.", "", true);
  }
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// Follow the run. The wait for the next question is shown only if it is longer than a blink.
async function follow() {
  let known = -1;
  let failures = 0;
  for (;;) {
    try {
      let news = await state(known);
      if (news.state === "waiting" && shown.startsWith("question")) {
        await pause(300);
        news = await state(-1);
      }
      known = news.version;
      if (failures > 1) problem("");
      failures = 0;
      show(news);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (error.status === 401) {
        shown = "closed";
        problem("");
        main.inert = false;
        document.querySelectorAll("dialog").forEach((dialog) => dialog.close());
        progress.textContent = note.textContent = "";
        message("This page is closed", error.message);
        return;
      }
      failures += 1;
      if (failures > 1 && !shown.startsWith("ended")) problem(error.message);
      await pause(Math.min(5000, 500 * 2 ** failures));
    }
  }
}

document.getElementById("menu-button").addEventListener("click", () => openMenu(problem));
document.addEventListener("visibilitychange", stayAwake);
bar.addEventListener(
  "click",
  (event) => {
    if (event.detail > 0 && performance.now() - shownAt < SETTLING_MS) {
      event.preventDefault();
      event.stopPropagation();
    }
  },
  true,
);

async function start() {
  stayAwake();
  message("Connecting …", "", true);
  try {
    await openLink();
  } catch (refused) {
    if (refused.status === 0) {
      fill(bar, button("Try again", start, { class: "main" }));
      problem(refused.message);
    } else {
      message("This link does not open the page", refused.message);
    }
    return;
  }
  problem("");
  follow();
}

addEventListener("hashchange", () => location.reload());
start();
