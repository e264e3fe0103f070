// The timeline of an episode: progress, steps that failed, and where one is.

function drawTimeline(steps, now) {
  const count = Math.max(steps.length, 1);
  const wide = 1000 / count;
  const known = steps.filter((step) => step.progress !== null && step.progress !== undefined);
  const line = known.map((step) => `${step.number * wide},${30 - 26 * step.progress}`);
  const area = line.length ? `0,30 ${line.join(" ")} ${known[known.length - 1].number * wide},30` : "";
  return s("svg", { viewBox: "0 0 1000 40", preserveAspectRatio: "none", "aria-hidden": "true" },
    now > 0 && s("rect", { class: "tick-now", x: (now - 1) * wide, y: 0, width: wide, height: 40 }),
    area && s("polygon", { class: "progress", points: area }),
    line.length ? s("polyline", { class: "progress-line", points: line.join(" ") }) : null,
    steps.map((step) => s("rect", {
      class: step.failure ? "tick-failed" : "tick-ok", x: (step.number - 1) * wide + wide * 0.1,
      y: step.failure ? 31 : 35, width: wide * 0.8, height: step.failure ? 9 : 3,
    }, s("title", {}, `step ${step.number}: ${step.action}${step.failure ? `, ${step.failure}` : ""}`))));
}

function timeText(steps, now) {
  const step = steps[now - 1];
  const at = step && step.t ? `, at ${step.t < 10 ? step.t.toFixed(2) : Math.round(step.t).toLocaleString("en")} s` : "";
  return now ? `step ${now} of ${steps.length}${at}` : `start, ${plural(steps.length, "step")}`;
}
