// The steps of an episode in words, each with what led to it.

function drawItem(item) {
  switch (item.kind) {
    case "thought": return h("p", { class: "thought" }, item.text);
    case "refused": return h("p", { class: "refused" }, "not understood: ", h("code", {}, item.text));
    case "traceback": return h("details", { class: "call bad" },
      h("summary", {}, h("span", { class: "tag" }, "traceback"), ` ${item.label || ""}`),
      h("div", { class: "message" }, h("pre", {}, item.text)));
    case "picture": return drawPicture({ name: item.text, source: item.source }, "what was looked at");
    case "call": return drawCall(item.call);
    default: return drawNote(item);
  }
}

function drawPicture({ name, source }, alt, caption = alt) {
  if (!source) return h("p", { class: "note plain" },
    h("span", { class: "tag" }, "picture"), ` images/${name} is no longer in the run's folder.`);
  return h("figure", { class: "picture note", style: "margin:.3rem 0" },
    h("a", { href: source, title: `images/${name}` }, h("img", { src: source, alt, loading: "lazy" })),
    caption && h("figcaption", {}, caption));
}

function drawNote(item) {
  const head = [h("span", { class: "tag" }, item.label || "note"), ` ${item.text || ""}`];
  if (item.search) return h("div", { class: "note" }, h("div", {}, head), drawSearch(item.search));
  if (item.belief) return h("details", { class: "note" }, h("summary", {}, head), drawBelief(item.belief));
  if (!item.bars) return h("p", { class: "note plain" }, head);
  return h("details", { class: "note" }, h("summary", {}, head), item.bars.map(([name, value]) =>
    h("div", { class: "place" }, h("span", {}, name), h("i", { style: `width:${60 * value}%` }), share(value))));
}

function drawCall(call) {
  const again = call.attempt > 1 ? `, asked again (${call.attempt})` : "";
  const caption = `call ${call.number}${again}: ${call.tokens_in} + ${call.tokens_out} tokens, ${call.seconds.toFixed(2)} s`;
  return h("details", { class: call.problem ? "call bad" : "call" },
    h("summary", {}, h("span", { class: "tag" }, "model"), ` ${caption}`,
      call.problem && [" · ", h("span", { class: "bad" }, call.problem)]),
    call.asked.map(([role, text]) => drawMessage(role, text)), drawMessage("reply", call.reply || "(empty)"));
}

const drawMessage = (role, text) => h("div", { class: "message" }, h("b", {}, role), h("pre", {}, text));

function drawStep(step, key, rewarded) {
  const meter = [
    step.tokens && `${step.tokens.toLocaleString("en")} tokens`,
    rewarded && step.reward && `reward ${step.reward > 0 ? "+" : ""}${Math.round(step.reward).toLocaleString("en")}`,
    step.progress !== null && step.progress !== undefined && `goal ${percent(step.progress)}`,
  ].filter(Boolean).join(" · ");
  return h("li", { id: `step-${step.number}`, "data-step": step.number },
    (step.before || []).map(drawItem),
    h("div", { class: "step-line" },
      h("a", { class: "number", href: `#${key}/${step.number}` }, h("span", { class: "aside" }, "step "), step.number),
      h("div", {},
        h("div", { class: "action" }, step.action, step.failure && h("span", { class: "why" }, ` ✗ ${step.failure}`),
          step.injected && [" ", h("span", { class: "tag" }, "put in on purpose")]),
        step.attempts && h("details", { class: "tries" }, h("summary", {}, `${step.attempts.length} tries`),
          h("ol", {}, step.attempts.map((attempt) => h("li", {}, attempt)))),
        step.observation && h("p", { class: "observation" }, step.observation),
        meter && h("div", { class: "meter" }, meter))));
}
