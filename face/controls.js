// Controls of forms: each has an element, the part of it that gets the focus, and a value.

import { button, field, h, newId, select } from "./dom.js";
import { tr } from "./language.js";
import { countdown, daysOf, daysText, RANGES, readTimes, WEEKDAYS } from "./words.js";

/** One that is an element of its own. A value that is none of the choices becomes one. */
export const control = (element) => ({
  element, focus: element,
  get value() {
    const text = element.value.trim();
    return text && element.type === "number" ? Number(text) : text;
  },
  set value(text) {
    const isNone = element.options && ![...element.options].some((option) => option.value === text);
    if (isNone) element.append(h("option", { value: text }, text));
    element.value = text;
  },
});

export const textControl = (attributes) => control(h("input", {
  type: "text", autocomplete: "off", spellcheck: "false", dir: "auto", ...attributes }));

/** A choice can be kept as soon as it is made. `nameOf` is what a value is called. */
export function choiceControl({ choices, value }, nameOf) {
  const values = choices.includes(value) ? choices : [value, ...choices];
  return Object.assign(control(select(values.map((each) => [each, nameOf(each)]), value)), { isChoice: true });
}

/** Its value is true or false. */
export function flagControl(checked) {
  const box = h("input", { type: "checkbox", checked });
  return { element: box, focus: box, get value() { return box.checked; } };
}

/** A length as a number of seconds. Digits come in from the right, as on a phone: 130 becomes 1:30. */
export function lengthControl(seconds) {
  const made = textControl({ inputmode: "numeric", class: "length", value: countdown(seconds) });
  const input = made.element;
  let isNew = false;
  input.addEventListener("focus", () => { isNew = true; });
  input.addEventListener("input", ({ data }) => {
    // The first digit begins a new length.
    const typed = isNew && data ? data : input.value;
    isNew = false;
    const digits = typed.replace(/\D/g, "").replace(/^0+/, "").slice(-6).padStart(3, "0");
    input.value = digits.replace(/\B(?=(\d\d)+$)/g, ":");
    input.setSelectionRange(input.value.length, input.value.length);
  });
  return {
    element: input, focus: input,
    get value() {
      const [second, minute = 0, hour = 0] = input.value.split(":").map(Number).reverse();
      return hour * 3600 + minute * 60 + second;
    },
    get missing() { return this.value ? "" : tr("Choose a length."); },
  };
}

/** The days of an alarm: the next one, some of each week, or a date. */
export function daysControl() {
  const choices = [["", tr("the next time")], ...RANGES, ["days", tr("on these days")], ["date", tr("on a date")]];
  const kind = select(choices, "");
  const boxes = WEEKDAYS.map(([day, , name]) => [day, h("input", { type: "checkbox", id: newId("day") }), name]);
  const some = h("fieldset", { class: "plain days", hidden: true }, h("legend", { class: "unseen" }, tr("Days")),
    ...boxes.map(([, box, name]) => h("span", {}, box, h("label", { for: box.id }, name))));
  const date = h("input", { type: "date" });
  const dated = field(tr("Date"), date);
  dated.hidden = true;
  kind.addEventListener("change", () => {
    some.hidden = kind.value !== "days";
    dated.hidden = kind.value !== "date";
  });
  return {
    element: kind, focus: kind, extra: [some, dated],
    get value() {
      if (kind.value === "date") return date.value;
      if (kind.value !== "days") return kind.value;
      return boxes.filter(([, box]) => box.checked).map(([day]) => day).join(", ");
    },
    set value(text) {
      const isDate = /^\d/.test(text);
      const isRange = RANGES.some(([key]) => key === text);
      if (!text || text === "once") kind.value = "";
      else kind.value = isDate ? "date" : isRange ? text : "days";
      if (isDate) date.value = text;
      const days = kind.value === "days" ? daysOf(text) : [];
      for (const [day, box] of boxes) box.checked = days.includes(day);
      kind.dispatchEvent(new Event("change"));
    },
    /** What is still to be chosen, as a sentence. */
    get missing() {
      if (!kind.value || this.value) return "";
      return kind.value === "date" ? tr("Choose a date.") : tr("Choose a day.");
    },
  };
}

/** Times without days are of every day. */
const DAYS = [["", tr("every day")], ...RANGES.slice(1), ...WEEKDAYS];
const two = (number) => String(number).padStart(2, "0");
const timeOf = (minute) => `${two(Math.floor(minute / 60))}:${two(minute % 60)}`;

/** Rows of days, from and to, and a level if `hasLevel`. */
export function timesControl(text, hasLevel) {
  const rows = h("div", { class: "times" });
  const changed = () => rows.dispatchEvent(new Event("input", { bubbles: true }));
  const add = button(tr("Add a time"), () => {
    addRow({ range: "", from: 22 * 60, to: 7 * 60, level: hasLevel ? "-12dB" : "" });
    rows.lastElementChild.querySelector("select").focus();
    changed();
  });
  const silent = (words) => h("span", { "aria-hidden": "true" }, words);
  function addRow({ range, from, to, level }) {
    const days = select(DAYS.some(([key]) => key === range) ? DAYS : [[range, daysText(range)], ...DAYS], range);
    days.setAttribute("aria-label", tr("Days"));
    const time = (name, minute) =>
      h("input", { type: "time", "aria-label": name, required: true, value: timeOf(minute % 1440) });
    const [start, end] = [time(tr("From"), from), time(tr("To"), to)];
    const decibels = h("input", {
      type: "number", max: 0, min: -60, step: "any", "aria-label": tr("Level in dB"), value: parseFloat(level) });
    const remove = button(tr("Remove"), () => {
      row.remove();
      add.focus();
      changed();
    }, { "aria-label": tr("Remove this time") });
    const row = h("div", { class: "row", role: "group", "aria-label": tr("A time") },
      days, start, silent(tr("to")), end, ...hasLevel ? [decibels, silent("dB")] : [], remove);
    row.written = () => [days.value, `${start.value}-${end.value === "00:00" ? "24:00" : end.value}`,
      hasLevel && `${decibels.value}dB`].filter(Boolean).join(" ");
    rows.append(row);
  }
  const made = {
    element: h("div", { role: "group" }, rows, add), focus: add, isGroup: true,
    get value() { return [...rows.children].map((row) => row.written()).join(", ") || "none"; },
    set value(text) { rows.replaceChildren(); readTimes(text).forEach(addRow); },
  };
  made.value = text;
  return made;
}
