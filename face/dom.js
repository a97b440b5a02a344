// Elements, always made from texts and never from HTML: what strangers have named stays a text.

/**
 * An element, as in `h("button", { class: "main", onclick: stop }, "Stop")`. A name that begins with `on` is
 * a listener, `true` an empty attribute, and null or false none.
 */
export function h(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** The same for SVG. */
export function svg(tag, attributes = {}, ...children) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== ""));
  return element;
}

/** Does it for the last of the values that come while it is under way: none is done for nothing. */
export function latest(act) {
  let isBusy = false;
  let next = null;
  return async (value) => {
    next = { value };
    if (isBusy) return;
    isBusy = true;
    try {
      while (next) {
        const { value: now } = next;
        next = null;
        await act(now);
      }
    } finally {
      isBusy = false;
    }
  };
}

/** What a listener does, which is done once at a time: a second press while it is under way is none. */
const once = (act) => async (event) => {
  const control = event.currentTarget;
  event.preventDefault();
  if (control.getAttribute("aria-busy") === "true") return;
  control.setAttribute("aria-busy", "true");
  try {
    await act(event);
  } finally {
    control.removeAttribute("aria-busy");
  }
};

/** A button; a screen reader calls it by its `aria-label`, if it has one. */
export const button = (words, onclick, attributes = {}) =>
  h("button", { type: "button", onclick: once(onclick), ...attributes }, ...[words].flat());

/** A form that only a script sends. */
export const form = (attributes, submit, ...children) =>
  h("form", { ...attributes, onsubmit: once(() => submit()) }, ...children);

/** Where a refusal is written, for a screen reader at once. */
export const refusal = (words = "", attributes = {}) => h("p", { class: "error", role: "alert", ...attributes }, words);

export const byId = (id) => document.getElementById(id);

/** A name that somebody gave: it has its own direction, whatever the text around it has, and is not translated. */
export const named = (name) => h("bdi", { class: "name", translate: "no" }, name);

/**
 * Writes a text if it differs from the last one, so that nothing is read out or selected anew. It is not compared with
 * what can be read there, which the browser may have translated. `lang` is its language, if that is not the page's.
 */
export function write(element, text, lang) {
  if (element.written === text) return;
  element.written = element.textContent = text;
  if (lang) element.lang = lang;
  else element.removeAttribute("lang");
}

/** Gives an element these children, unless they are like those that it was given the last time. */
export function fill(element, ...children) {
  const made = h("div", {}, ...children.flat());
  if (element.given?.isEqualNode(made)) return;
  element.given = made.cloneNode(true);
  element.replaceChildren(...made.childNodes);
}

/** Shows or hides a control. If it had the focus, the next one of its row gets it, or else the heading. */
export function show(control, isShown) {
  if (control.hidden === !isShown) return;
  const hadFocus = document.activeElement === control;
  control.hidden = !isShown;
  // After the others of the row have been shown.
  if (hadFocus) setTimeout(() => {
    const next = control.parentElement.querySelector("button:not([hidden])");
    if (next) next.focus();
    else focusNear(control);
  }, 0);
}

/**
 * Keeps a list of elements like a list of records: an element that stays keeps its focus.
 *
 * make(record) gives `{ element, update(record) }`; keyOf(record) tells records apart.
 */
export function keepList(parent, records, keyOf, make) {
  const kept = parent.kept ?? (parent.kept = new Map());
  const keys = new Set(records.map(keyOf));
  for (const [key, part] of kept) {
    if (keys.has(key)) continue;
    const hadFocus = part.element.contains(document.activeElement);
    part.element.remove();
    kept.delete(key);
    // Focus must not fall back to the top of the page.
    if (hadFocus) focusNear(parent);
  }
  records.forEach((record, index) => {
    const key = keyOf(record);
    if (!kept.has(key)) kept.set(key, make(record));
    const part = kept.get(key);
    if (parent.children[index] !== part.element) parent.insertBefore(part.element, parent.children[index] ?? null);
    part.update(record);
  });
}

function focusNear(element) {
  const heading = element.closest("section")?.querySelector("h2, h3");
  if (!heading) return;
  heading.tabIndex = -1;
  heading.focus();
}

let counter = 0;
/** A new id for a label, an error or a hint. */
export const newId = (stem) => `${stem}-${++counter}`;

/** A labelled control, as a block; the label of a box stands behind it. */
export function field(label, control, hint) {
  control.id ||= newId("field");
  const hintId = hint && newId("hint");
  if (hint) control.setAttribute("aria-describedby", hintId);
  const words = h("label", { for: control.id }, label);
  return h("div", { class: "field" },
    ...control.type === "checkbox" ? [h("p", { class: "check" }, control, words)] : [words, control],
    hint ? h("p", { class: "hint", id: hintId }, hint) : null);
}

export function select(options, value) {
  return h("select", {}, ...options.map((option) => {
    const [key, label] = Array.isArray(option) ? option : [option, option];
    return h("option", { value: key, selected: key === value, translate: key === label ? "no" : null }, label);
  }));
}
