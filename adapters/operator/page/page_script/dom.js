// Elements. Texts of a run become text nodes only, never HTML.

// An element. props: attributes; `on…` are listeners, and null or false leaves one out.
export function el(tag, props = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.flat(Infinity).filter((child) => child !== null && child !== false));
  return made;
}

// A button. shown: its text or elements.
export function button(shown, onclick, props = {}) {
  return el("button", { type: "button", onclick, ...props }, shown);
}

// Fill an element anew. The focus and the scrolled place stay, by `data-key`.
export function fill(parent, ...children) {
  const focused = parent.contains(document.activeElement) ? document.activeElement.dataset.key : "";
  const scrolled = parent.scrollTop;
  parent.replaceChildren(...children.flat(Infinity).filter((child) => child !== null && child !== false));
  parent.scrollTop = scrolled;
  if (focused) parent.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
}

// Buttons of which one or none is pressed. options: pairs of value and text.
export function choices(label, options, chosen, onchoose, props = {}) {
  return el(
    "div",
    { class: "choices", role: "group", "aria-label": label, ...props },
    options.map(([value, text]) =>
      button(text, () => onchoose(value), {
        "aria-pressed": String(chosen.includes(value)),
        "data-key": `${label} ${value}`,
      }),
    ),
  );
}

// A sheet over the lower part of the page. Escape, the button and a tap beside it close it.
// build(refill, close): gives its content, again after each refill(). foot: stays as it is.
export function sheet(title, build, { closing = "Cancel", foot = [], tall = false } = {}) {
  const body = el("div", { class: "sheet-body" });
  const heading = el("h2", { id: "sheet-title", tabindex: "-1" }, title);
  const close = () => dialog.close();
  const opener = document.activeElement?.dataset.key; // which may be filled anew meanwhile
  const dialog = el(
    "dialog",
    {
      class: tall ? "sheet tall" : "sheet",
      "aria-labelledby": "sheet-title",
      onclose: () => {
        dialog.remove();
        if (opener) document.querySelector(`[data-key="${CSS.escape(opener)}"]`)?.focus();
      },
      onclick: (event) => { if (event.target === dialog) close(); },
    },
    heading,
    body,
    el("div", { class: "sheet-foot" }, foot, button(closing, close, { class: "wide" })),
  );
  const refill = () => fill(body, build(refill, close));
  refill();
  document.body.append(dialog);
  dialog.showModal();
  heading.focus();
  return dialog;
}
